"""Pictures -> a JSON line for each: what rapidocr reads, and in how many seconds by the clock and of processors, with the options that it has by itself."""

import json
import pathlib
import sys
import time

from rapidocr_onnxruntime import RapidOCR


def place(corners):
    across, down = zip(*corners)
    return [min(across), min(down), max(across), max(down)]


def main():
    engine = RapidOCR()
    for file in map(pathlib.Path, sys.argv[1:]):
        begin, used = time.perf_counter(), time.process_time()
        read, _ = engine(str(file))
        took = {"seconds": time.perf_counter() - begin, "processors": time.process_time() - used}
        lines = [(text, place(corners)) for corners, text, _ in read or []]
        print(json.dumps({"file": file.name, "lines": lines, **took}), flush=True)


if __name__ == "__main__":
    main()
