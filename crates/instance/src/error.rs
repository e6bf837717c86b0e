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
    #[error("{path}: `{id}` already exists")]
    DuplicateId { path: String, id: String },
    /// An instance of this name exists.
    #[error("instance `{id}` already exists")]
    InstanceExists { id: String },
    /// Something that is not built as it must be.
    #[error("{path}: {message}")]
    InvalidStructure { path: String, message: String },
    /// A field that no block has.
    #[error("{path}: {reason}")]
    FieldNotFound { path: String, reason: String },
    /// A criterion of no known type.
    #[error("{path}: {message}")]
    InvalidCriterionType { path: String, message: String },
    /// A condition that cannot be read or evaluated.
    #[error("condition `{condition}`: {reason}")]
    InvalidCondition { condition: String, reason: String },
    /// A criterion's path that cannot be written that way.
    #[error("path `{path}`: {reason}")]
    InvalidJsonPath { path: String, reason: String },
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
            Self::FieldNotFound { .. } => "FIELD_NOT_FOUND",
            Self::InvalidCriterionType { .. } => "INVALID_CRITERION_TYPE",
            Self::InvalidCondition { .. } => "INVALID_CONDITION",
            Self::InvalidJsonPath { .. } => "INVALID_JSON_PATH",
        }
    }

    /// Returns the path of what is wrong; empty where it has none.
    pub fn path(&self) -> &str {
        match self {
            Self::InvalidPath { path, .. }
            | Self::PathNotFound { path, .. }
            | Self::SchemaMutation { path }
            | Self::MissingValue { path, .. }
            | Self::DuplicateId { path, .. }
            | Self::InvalidStructure { path, .. }
            | Self::FieldNotFound { path, .. }
            | Self::InvalidCriterionType { path, .. }
            | Self::InvalidJsonPath { path, .. } => path,
            Self::InvalidInstance { .. }
            | Self::InvalidOp { .. }
            | Self::InstanceExists { .. }
            | Self::InvalidCondition { .. } => "",
        }
    }

    /// Returns what to do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::InvalidInstance { .. } => "list_instances tells those there are",
            Self::InvalidOp { .. } => "use set, add or remove",
            Self::InvalidPath { .. } | Self::InvalidJsonPath { .. } => {
                "write state.params.KEY, state.runtime.KEY, blocks.0.props.fields.1.label or actions: dots, no slashes or brackets"
            }
            Self::PathNotFound { .. } => "get_schema tells what there is",
            Self::SchemaMutation { .. } => "ids never change: make another instance, block or action instead",
            Self::MissingValue { .. } => "name it",
            Self::DuplicateId { .. } => "choose another id, or set the one there is",
            Self::InstanceExists { .. } => "choose another id, or change the instance there is",
            Self::InvalidStructure { .. } => "get_schema shows how one is built",
            Self::FieldNotFound { .. } => "get_schema tells the keys of the fields",
            Self::InvalidCriterionType { .. } => "take one of the types that the message names",
            Self::InvalidCondition { .. } => {
                "compare paths and values: state.params.count >= 3 and state.params.name != ''"
            }
        }
    }

    pub(super) fn structure(path: &str, message: impl Into<String>) -> Self {
        let path = if path.is_empty() { "(instance)".to_owned() } else { path.to_owned() };
        Self::InvalidStructure { path, message: message.into() }
    }
}
