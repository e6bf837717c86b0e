"""Holds every file of the installed package to its digest in RECORD."""

import base64
import hashlib
import importlib.metadata

files = importlib.metadata.files("uixt")
checked = 0
for file in files:
    if file.hash:
        digest = hashlib.new(file.hash.mode, file.locate().read_bytes()).digest()
        assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == file.hash.value, file
        checked += 1
assert checked > 40, checked
names = {str(file).rsplit("/", 1)[-1] for file in files}
assert {"THIRD-PARTY-LICENSES.txt", "LICENSE-MIT", "LICENSE-APACHE", "uixt.cyclonedx.json", "uixt.1"} <= names, names
print(checked)
