"""Uploads: files by path as one tar.gz, as one zip, or each as a part of a form."""

import io
import tarfile
import zipfile
from pathlib import Path

Files = dict[str, bytes]


def files_below(root: Path) -> Files:
    paths = sorted(path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def tar_gz(files: Files) -> dict:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
        for path, content in files.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return {"content": buffer.getvalue(), "headers": {"Content-Type": "application/gzip"}}


def zipped(files: Files) -> dict:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return {"content": buffer.getvalue(), "headers": {"Content-Type": "application/zip"}}


def form(files: Files) -> dict:
    return {"files": [("file", (path, content)) for path, content in files.items()]}


def skill(slug: str, description: str, body: str, **files: str) -> Files:
    """The files of one skill; `notes="…"` becomes `references/notes.md`."""
    front = f"---\nname: {slug}\ndescription: {description}\n---\n"
    beside = {f"{slug}/references/{name}.md": text.encode() for name, text in files.items()}
    return {f"{slug}/SKILL.md": (front + body).encode(), **beside}
