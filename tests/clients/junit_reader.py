"""Reads a junit.xml with junitparser, as a CI server's tools do.

Usage: junit_reader.py FILE. Prints the suites, their properties and their cases as one JSON object.
"""

import json
import sys

from junitparser import JUnitXml


def suite(element):
    return {
        "name": element.name,
        "tests": element.tests,
        "failures": element.failures,
        "errors": element.errors,
        "skipped": element.skipped,
        "timestamp": element.timestamp,
        "properties": {item.name: item.value for item in element.properties()},
        "cases": [case(item) for item in element],
    }


def case(element):
    results = [{"kind": type(item).__name__, "type": item.type, "message": item.message, "text": item.text} for item in element.result]
    return {"name": element.name, "classname": element.classname, "results": results, "output": element.system_out}


print(json.dumps({"suites": [suite(element) for element in JUnitXml.fromfile(sys.argv[1])]}))
