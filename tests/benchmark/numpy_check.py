"""What is usually done instead: the outputs of a capture against binary64, in NumPy.

    numpy_check.py FILE [ROWS]

ROWS: so many rows at a time (default: the whole file at once). Prints the greatest absolute and
relative error and how many outputs are outside of 1e-2 + 1e-2 |y|.
"""
import json
import sys

import numpy as np

DTYPES = {"BF16": np.uint16, "F16": np.float16, "F32": np.float32}


def numbers(codes):
    """In binary64; bf16 codes stand in the upper halves of binary32 numbers."""
    if codes.dtype == np.uint16:
        codes = (codes.astype(np.uint32) << 16).view(np.float32)
    return codes.astype(np.float64)


def tensors(path):
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
    found = {}
    for name in ("x", "weight", "y"):
        entry = header[name]
        found[name] = np.memmap(path, DTYPES[entry["dtype"]], "r", 8 + length + entry["data_offsets"][0],
                                tuple(entry["shape"]))
    return found, float.fromhex(text) if (text := header["__metadata__"]["epsilon"]).startswith("0x") else float(text)


def main():
    found, epsilon = tensors(sys.argv[1])
    weight = numbers(found["weight"])
    rows = found["x"].shape[0]
    step = int(sys.argv[2]) if len(sys.argv) > 2 else rows
    absolute = relative = 0.0
    outside = 0
    for first in range(0, rows, step):
        x = numbers(found["x"][first:first + step])
        y = numbers(found["y"][first:first + step])
        exact = x / np.sqrt((x * x).mean(1, keepdims=True) + epsilon) * weight
        error = np.abs(y - exact)
        size = np.abs(exact)
        absolute = max(absolute, error.max())
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = max(relative, np.nanmax(error / size))
        outside += int((error > 1e-2 + 1e-2 * size).sum())
    print(f"max abs {absolute:.6g}, max rel {relative:.6g}, {outside} outside")


main()
