"""Skills as they are on the disk: what the product has to serve, byte for byte."""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DEMO_SKILLS = ROOT / "deploy" / "demo" / "skills"
MANY_SKILLS = Path(os.environ.get("LOADOUT_TEST_SKILLS") or ROOT.parent / "shared" / "data" / "skills")


@dataclass(frozen=True)
class DiskSkill:
    """A folder with a SKILL.md."""

    folder: Path

    def __str__(self) -> str:
        return self.slug

    @property
    def slug(self) -> str:
        return self.folder.name

    @cached_property
    def whole(self) -> bytes:
        return (self.folder / "SKILL.md").read_bytes()

    @property
    def name(self) -> str:
        """As the front matter has it, where it is written plainly."""
        [line] = [line for line in self.front_lines if line.startswith("name:")]
        return line.removeprefix("name:").strip().strip("'\"")

    @property
    def front_lines(self) -> list[str]:
        front = self.whole[: len(self.whole) - len(self.body)]
        return front.decode("utf-8-sig").splitlines()

    @property
    def body(self) -> bytes:
        """What stands after the line that closes the front matter."""
        lines = self.whole.splitlines(keepends=True)
        closing = next(at for at, line in enumerate(lines) if at > 0 and line.rstrip() == b"---")
        return b"".join(lines[closing + 1 :])

    @property
    def files(self) -> dict[str, bytes]:
        """The files beside SKILL.md, by path."""
        paths = (path for path in self.folder.rglob("*") if path.is_file())
        files = {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in paths}
        del files["SKILL.md"]
        return files


def skills_below(root: Path) -> list[DiskSkill]:
    return [DiskSkill(path.parent) for path in sorted(root.rglob("SKILL.md"))]


def is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
