//! Fields of answers that others read than whoever writes them.

/// The cause of a failure, among its details.
pub const CAUSE: &str = "cause";

/// What the device tells of a call beside its answer.
pub const EVIDENCE: &str = "evidence";

/// What went wrong in the pages of a browser, among the details of a failure.
pub const PAGE_ERRORS: &str = "page_errors";

/// Values that are secrets, beside an answer, where the table knows nothing of the tool. No client sees them.
pub const SECRETS: &str = "secrets";

/// Of which fields of an answer a part was left out: `{stdout: {printed, kept}}`, in bytes.
pub const TRUNCATED: &str = "truncated";
