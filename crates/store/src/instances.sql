-- A page as it is now. `used` says when somebody last turned to it.
CREATE TABLE instances (
    id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    schema TEXT NOT NULL,
    changed INTEGER NOT NULL,
    used INTEGER NOT NULL
) WITHOUT ROWID;

-- How the last versions came about: the patches that were applied, and the way back to the version before.
CREATE TABLE versions (
    instance TEXT NOT NULL REFERENCES instances (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    author TEXT NOT NULL,
    patches TEXT NOT NULL,
    back TEXT NOT NULL,
    -- The version that this one took back, and whether this one was taken back.
    undoes INTEGER,
    is_undone INTEGER NOT NULL DEFAULT 0,
    changed INTEGER NOT NULL,
    PRIMARY KEY (instance, version)
) WITHOUT ROWID;

-- What people handed over in a page.
CREATE TABLE files (
    id TEXT PRIMARY KEY,
    instance TEXT NOT NULL REFERENCES instances (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    content BLOB NOT NULL
) WITHOUT ROWID;
