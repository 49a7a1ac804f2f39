"""Files as one zip, the same bytes each time."""

from __future__ import annotations

import io
from collections.abc import Mapping
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

MOST_BYTES = 100  # of a learner's name in a file's; file systems take 255 for the whole


def zipped(files: Mapping[str, str]) -> bytes:
    """A zip with these texts under these paths."""
    stream = io.BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        for path, text in files.items():
            member = ZipInfo(path)  # which is from 1980, whenever it is made
            member.compress_type, member.external_attr = ZIP_DEFLATED, 0o644 << 16
            archive.writestr(member, text.encode("utf-8"))
    return stream.getvalue()


def shortened(name: str) -> str:
    """A name that leaves room for the rest of a file's name, and holds no folder."""
    text = "".join(" " if letter in '/\\:*?"<>|' or letter < " " else letter for letter in name)
    return text.encode("utf-8", "replace")[:MOST_BYTES].decode("utf-8", "ignore").strip(" .")
