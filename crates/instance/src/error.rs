//! What can be wrong with an instance, a patch or an action, in the codes of seed 001.

/// Why an instance could not be read or changed. Paths are dotted: `blocks.0.props.fields.1.type`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no such instance.
    #[error("no instance `{id}`")]
    InvalidInstance { id: String },
    /// A patch's `op` is none of set, add, remove.
    #[error("unknown op `{op}`; valid: set, add, remove")]
    InvalidOp { op: String },
    /// A path that cannot be written that way, or that leads to a thing of the wrong kind.
    #[error("path `{path}`: {reason}")]
    InvalidPath { path: String, reason: String },
    /// A path that leads nowhere, or nothing there that matches.
    #[error("path `{path}`: {reason}")]
    PathNotFound { path: String, reason: String },
    /// A path that leads to what may not be changed.
    #[error("`{path}` cannot be changed")]
    SchemaMutation { path: String },
    /// A patch or an operation lacks what it needs.
    #[error("{path}: `{key}` is missing")]
    MissingValue { path: String, key: &'static str },
    /// A block, an action or a field whose name is taken.
    #[error("{path}: `{id}` is there already")]
    DuplicateId { path: String, id: String },
    /// An instance of this name exists.
    #[error("instance `{id}` exists already")]
    InstanceExists { id: String },
    /// Something that is not built as it must be.
    #[error("{path}: {message}")]
    InvalidStructure { path: String, message: String },
}

impl Error {
    /// Returns the code of seed 001: `INVALID_PATH`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidInstance { .. } => "INVALID_INSTANCE",
            Self::InvalidOp { .. } => "INVALID_OP",
            Self::InvalidPath { .. } => "INVALID_PATH",
            Self::PathNotFound { .. } => "PATH_NOT_FOUND",
            Self::SchemaMutation { .. } => "SCHEMA_MUTATION",
            Self::MissingValue { .. } => "MISSING_VALUE",
            Self::DuplicateId { .. } => "DUPLICATE_ID",
            Self::InstanceExists { .. } => "INSTANCE_EXISTS",
            Self::InvalidStructure { .. } => "INVALID_STRUCTURE",
        }
    }

    pub(super) fn structure(path: &str, message: impl Into<String>) -> Self {
        let path = if path.is_empty() { "(instance)".to_owned() } else { path.to_owned() };
        Self::InvalidStructure { path, message: message.into() }
    }
}
