//! The keys that a server of an `mcpServers` file may have: those that mean something here, other hosts' names of them, and those that
//! are other hosts' business.

/// Keys that mean something here.
pub(super) const KEYS: &[&str] = &[
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "headers",
    "type",
    "disabled",
    "enabled",
    "envFile",
    "startup_timeout",
    "call_timeout",
    "timeout",
    "include_tools",
    "exclude_tools",
    "elicitation",
];

/// Other hosts' names of these keys.
pub(super) const ALIASES: &[(&str, &str)] = &[
    ("serverUrl", "url"),
    ("httpUrl", "url"),
    ("transport", "type"),
    ("transportType", "type"),
    ("http_headers", "headers"),
    ("workingDirectory", "cwd"),
    ("env_file", "envFile"),
    ("isActive", "enabled"),
    ("startupTimeout", "startup_timeout"),
    ("startup_timeout_sec", "startup_timeout"),
    ("initTimeout", "startup_timeout"),
    ("callTimeout", "call_timeout"),
    ("tool_timeout_sec", "call_timeout"),
    ("toolTimeout", "call_timeout"),
    ("includeTools", "include_tools"),
    ("enabled_tools", "include_tools"),
    ("excludeTools", "exclude_tools"),
    ("disabledTools", "exclude_tools"),
    ("disabled_tools", "exclude_tools"),
];

/// Keys of other hosts that say nothing about how a server is reached or called.
pub(super) const TOLERATED: &[&str] = &[
    "autoApprove",
    "alwaysAllow",
    "autoStart",
    "description",
    "displayName",
    "name",
    "title",
    "icon",
    "iconPath",
    "trust",
    "gallery",
    "version",
    "dev",
    "tags",
    "note",
    "notes",
    "comment",
    "metadata",
    "provider",
    "providerUrl",
    "logoUrl",
    "registryUrl",
    "longRunning",
];
