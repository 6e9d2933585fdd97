"""Writes lines to a file, packed as its name says, complete or not at all."""

import lzma
import os
import subprocess
import zlib


def compress(data, path):
    """The bytes for a file of this name; the same bytes for the same data, whenever and wherever."""
    if path.endswith(".gz"):
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        return packer.compress(data) + packer.flush()
    if path.endswith(".xz"):
        return lzma.compress(data, preset=9 | lzma.PRESET_EXTREME)
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-q", "-19", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout
    return data


def write_lines(path, lines):
    """Writes lines, given without their ends, to a file that is whole or absent."""
    data = "".join(line + "\n" for line in lines).encode()
    temporary = f"{path}.{os.getpid()}.part"
    try:
        with open(temporary, "wb") as file:
            file.write(compress(data, path))
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)
