//! What pages ask for → what they are told: how to look and behave, that requests go on, and passwords.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::cdp_setup;
use super::connection::Connection;
use super::person_cdp;
use super::tabs::{SetupRequest, Tabs};

/// How long a page may take to do what it is told before it begins.
const TIMEOUT: Duration = Duration::from_secs(20);

/// What new pages are prepared with.
#[derive(Clone, Default)]
pub(super) struct PageSetup {
    pub(super) commands: Vec<(&'static str, Value)>,
    pub(super) credentials: Option<(String, String)>,
}

/// Does what pages ask for, as long as the browser lives.
pub(super) async fn serve(
    connection: Connection,
    tabs: Tabs,
    manner: Arc<Mutex<PageSetup>>,
    mut setup_requests: mpsc::UnboundedReceiver<SetupRequest>,
) {
    let mut challenged = HashSet::new();
    while let Some(wish) = setup_requests.recv().await {
        let now = manner.lock().clone();
        match wish {
            SetupRequest::Prepare(session) => {
                let (connection, tabs) = (connection.clone(), tabs.clone());
                let commands = [now.commands, person_cdp::commands(&tabs)].concat();
                tokio::spawn(async move { prepare_page(&connection, &tabs, &session, &commands).await });
            }
            SetupRequest::Close(session) => {
                if let Some(target) = tabs.look(|state| state.tab(&session).map(|tab| tab.target.clone())) {
                    drop(connection.send(None, "Target.closeTarget", &json!({"targetId": target})));
                }
            }
            SetupRequest::EndDownload { profile, id } => {
                let mut params = json!({"guid": id});
                if !profile.is_empty() {
                    params["browserContextId"] = profile.into();
                }
                drop(connection.send(None, "Browser.cancelDownload", &params));
            }
            SetupRequest::Show(session) => {
                if let Some(target) = tabs.look(|state| state.tab(&session).map(|tab| tab.target.clone())) {
                    drop(connection.send(None, "Target.activateTarget", &json!({"targetId": target})));
                }
            }
            SetupRequest::Request { session, id, is_challenge: false } if is_alone(&tabs, &session) => {
                let headers = json!([{"name": "Content-Type", "value": "text/html"}]);
                let params = json!({"requestId": id, "responseCode": 200, "responseHeaders": headers, "body": ""});
                drop(connection.send(Some(&session), "Fetch.fulfillRequest", &params));
            }
            SetupRequest::Request { session, id, is_challenge: false } => {
                // Nobody waits for what comes of it: the page does.
                drop(connection.send(Some(&session), "Fetch.continueRequest", &json!({"requestId": id})));
            }
            SetupRequest::Request { session, id, is_challenge: true } => {
                // A server that asks twice does not take this password.
                let answer = match now.credentials.filter(|_| challenged.insert(id.clone())) {
                    Some((name, password)) => {
                        json!({"response": "ProvideCredentials", "username": name, "password": password})
                    }
                    None => json!({"response": "CancelAuth"}),
                };
                let params = json!({"requestId": id, "authChallengeResponse": answer});
                drop(connection.send(Some(&session), "Fetch.continueWithAuth", &params));
            }
        }
    }
}

/// Tells whether a page's requests are to be answered here.
fn is_alone(tabs: &Tabs, session: &str) -> bool {
    tabs.look(|state| state.tab(session).is_some_and(|tab| tab.is_alone))
}

async fn prepare_page(connection: &Connection, tabs: &Tabs, session: &str, commands: &[(&'static str, Value)]) {
    let sent: Vec<_> =
        commands.iter().map(|(method, params)| (*method, connection.send(Some(session), method, params))).collect();
    let begun = connection.send(Some(session), "Runtime.runIfWaitingForDebugger", &json!({}));
    let mut failure = None;
    for (method, reply) in sent {
        if let Err(refusal) = reply.within(TIMEOUT).await {
            failure.get_or_insert(cdp_setup::refused(method, &refusal));
        }
    }
    let _ = begun.within(TIMEOUT).await;
    if let Some(failure) = &failure {
        tracing::warn!("a page of the browser is not as its settings ask: {failure}");
    }
    tabs.change(session, |tab| {
        tab.is_prepared = true;
        tab.unprepared = failure;
        tab.has_document |= tab.arrivals == 0;
    });
}
