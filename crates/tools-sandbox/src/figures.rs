//! How the sandbox does: figures of its calls, and whether it works at all.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_call::{ToolKind, Toolset};
use uixt_locate::Error;
use uixt_sandbox::{IDLE, MOST_SECONDS, MOST_SESSIONS, Stats, Status, TIMEOUT};
use uixt_toolkit::{Context, Reply, Tool};

use super::sandbox;

/// Return figures of the sandbox: calls, time, share that succeeded.
#[derive(Deserialize, JsonSchema)]
pub(super) struct GetPerformanceStats {}

impl Tool for GetPerformanceStats {
    const NAME: &'static str = "microsandbox_get_performance_stats";
    const SET: Option<Toolset> = Some(Toolset::Microsandbox);
    const KIND: ToolKind = ToolKind::Read;
    const ANSWER: &'static [&'static str] = &["performance_stats", "active_sessions", "server_info"];
    const MAIN: Option<&'static str> = Some("performance_stats");
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let (sandbox, info) = (
            sandbox(cx),
            json!({
                "name": "uixt", "version": env!("CARGO_PKG_VERSION"), "default_timeout": TIMEOUT, "max_timeout": MOST_SECONDS,
                "max_sessions": MOST_SESSIONS, "session_idle": IDLE,
            }),
        );
        let (stats, open) = (sandbox.0.stats(), sandbox.0.list().len());
        let message = format!("{} codes were run, {} of them succeeded", stats.executions, stats.succeeded);
        let reply = Reply::new(message).with("performance_stats", figures(&stats));
        Ok(reply.with("active_sessions", open).with("server_info", info))
    }
}

fn figures(stats: &Stats) -> Value {
    let seconds = |time: std::time::Duration| (time.as_secs_f64() * 1e6).round() / 1e6;
    let average = u32::try_from(stats.executions).ok().and_then(|count| stats.time.checked_div(count));
    json!({
        "uptime_seconds": stats.began.elapsed().as_secs(),
        "total_executions": stats.executions,
        "successful_executions": stats.succeeded,
        "failed_executions": stats.executions - stats.succeeded,
        "timed_out_executions": stats.timed_out,
        "crashed_executions": stats.crashed,
        "success_rate": stats.success_rate(),
        "average_execution_time": average.map(seconds),
        "longest_execution_time": seconds(stats.slowest),
        "packages_installed": stats.packages,
        "sessions_created": stats.sessions,
    })
}

/// Return whether the sandbox works: starts a Python behind its walls to see.
#[derive(Deserialize, JsonSchema)]
pub(super) struct GetHealthStatus {}

impl Tool for GetHealthStatus {
    const NAME: &'static str = "microsandbox_get_health_status";
    const SET: Option<Toolset> = Some(Toolset::Microsandbox);
    const KIND: ToolKind = ToolKind::Read;
    const ANSWER: &'static [&'static str] = &["status", "issues", "metrics", "recommendations", "walls"];
    const MAIN: Option<&'static str> = Some("status");
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let sandbox = sandbox(cx);
        let health = Box::pin(sandbox.0.health()).await;
        let stats = sandbox.0.stats();
        let metrics = json!({
            "python": health.python, "active_sessions": sandbox.0.list().len(), "max_sessions": MOST_SESSIONS,
            "total_executions": stats.executions, "success_rate": stats.success_rate(),
        });
        let message = match health.status {
            Status::Healthy => "The sandbox works".to_owned(),
            _ => health.issues.join("; "),
        };
        let reply = Reply::new(message).with("status", health.status.name()).with("issues", health.issues);
        let reply = reply.with("metrics", metrics).with("recommendations", health.recommendations);
        Ok(reply.with("walls", health.walls))
    }
}
