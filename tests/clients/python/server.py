"""The server under test: its addresses, its keys, and REST as a program calls it."""

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

import httpx2

DEMO = json.loads(Path(os.environ["LOADOUT_E2E_DEMO"]).read_text())
OWNER = DEMO["keys"]["owner"]
READER = DEMO["keys"]["skills_read"]
# Every gateway has to give the same answers.
GATEWAYS = os.environ.get("LOADOUT_E2E_URLS", "").replace(",", " ").split() or [DEMO["url"]]

# An import of hundreds of skills embeds each of them before it answers.
TIMEOUT_SECONDS = 300


def request(method: str, url: str, key: str | None = None, **more) -> httpx2.Response:
    """One request, whatever it answers."""
    headers = {**more.pop("headers", {}), **bearer(key)}
    return httpx2.request(method, url, headers=headers, timeout=TIMEOUT_SECONDS, **more)


def bearer(key: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


@dataclass(frozen=True)
class Rest:
    """The REST addresses of a gateway, with a key."""

    gateway: str
    key: str

    def get(self, path: str, **more) -> dict:
        return self._answer("GET", path, **more)

    def post(self, path: str, **more) -> dict:
        return self._answer("POST", path, **more)

    def put(self, path: str, **more) -> dict:
        return self._answer("PUT", path, **more)

    def delete(self, path: str) -> dict:
        return self._answer("DELETE", path)

    def publish(self, upload: dict, **query) -> dict:
        """Imports an upload; see `pack`."""
        return self.post("/v1/skills/import", params=query, **upload)

    def skills(self) -> list[dict]:
        """Every skill of the workspace, from all pages."""
        skills, cursor = [], {}
        while True:
            page = self.get("/v1/skills", params={"limit": 200, **cursor})
            skills += page["skills"]
            if not page.get("next_cursor"):
                return skills
            cursor = {"cursor": page["next_cursor"]}

    def _answer(self, method: str, path: str, **more) -> dict:
        response = request(method, self.gateway + path, self.key, **more)
        assert response.is_success, f"{method} {path}: {response.status_code} {response.text}"
        return response.json()


@dataclass(frozen=True)
class Key:
    """A key, and the id by which it is ended."""

    id: str
    secret: str


def make_key(scopes: list[str], workspace: str = "main", tools: list[str] | None = None) -> Key:
    asked = {"name": "e2e", "workspace": workspace, "scopes": scopes, "tools": tools or []}
    made = Rest(GATEWAYS[0], OWNER).post("/v1/keys", json=asked)
    return Key(made["key"]["id"], made["secret"])


@dataclass(frozen=True)
class Workspace:
    """A workspace of the demo organization that no other test uses."""

    slug: str
    key: str

    @classmethod
    def make(cls) -> "Workspace":
        slug = f"e2e-{secrets.token_hex(6)}"
        Rest(GATEWAYS[0], OWNER).post("/v1/workspaces", json={"slug": slug})
        return cls(slug, make_key(["skills:read", "skills:write"], slug).secret)

    def rest(self, gateway: str = GATEWAYS[0]) -> Rest:
        return Rest(gateway, self.key)

    def mcp(self, gateway: str = GATEWAYS[0], tag: str | None = None) -> str:
        return f"{gateway}/w/{self.slug}" + (f"?tag={tag}" if tag else "")
