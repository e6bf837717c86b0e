-- A run of testcases. `at` is in milliseconds since 1970, `outcome` as reports write it.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    folder TEXT NOT NULL,
    elapsed INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    -- Whether it ended before all cases were run.
    is_partial INTEGER NOT NULL
);

-- How its cases ended. `case_id` is a file from the project's folder, with `#` and the row.
CREATE TABLE outcomes (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    case_id TEXT NOT NULL,
    name TEXT NOT NULL,
    device TEXT NOT NULL,
    outcome TEXT NOT NULL,
    elapsed INTEGER NOT NULL,
    cause TEXT NOT NULL
);

CREATE INDEX outcomes_by_case ON outcomes (case_id, run);
CREATE INDEX outcomes_by_run ON outcomes (run);
