-- What the calls of a run's tools add up to: a tool, and its sums as JSON, by which those of several runs are joined.
CREATE TABLE tool_times (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    tool TEXT NOT NULL,
    times TEXT NOT NULL,
    PRIMARY KEY (run, tool)
) WITHOUT ROWID;
