//! Sessions by their names: made at their first call, ended when they are closed, when nobody calls them for long, or with all.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use chrono::{DateTime, Utc};
use parking_lot::Mutex;
use tokio::task::AbortHandle;

use super::folder::Root;
use super::health::{self, Health};
use super::packages::{self, Installed, Package};
use super::session::Session;
use super::stats::Stats;
use super::{Answer, Code, Error, IDLE, MOST_SESSIONS};

/// Longest name of a session, in characters.
const LONGEST: usize = 64;

/// The sessions of one caller; dropped, they end.
#[derive(Default)]
pub struct Sessions(Arc<Shared>);

#[derive(Default)]
struct Shared {
    open: Mutex<Open>,
    stats: Mutex<Stats>,
}

#[derive(Default)]
struct Open {
    root: Option<Arc<Root>>,
    sessions: BTreeMap<String, Arc<Session>>,
    /// What ends sessions that nobody calls.
    idle: Option<Timer>,
}

/// Work that ends with whoever began it.
struct Timer(AbortHandle);

impl Drop for Timer {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What is told of a session.
#[derive(Clone, Debug)]
pub struct Described {
    pub name: String,
    pub created: DateTime<Utc>,
    pub accessed: DateTime<Utc>,
    pub calls: u64,
    pub is_running: bool,
}

impl Sessions {
    /// Runs a code in a session, which begins where there is none of this name.
    pub async fn execute(&self, name: &str, code: &Code) -> Result<Answer, Error> {
        code.check().map_err(Error::BadArgument)?;
        let session = self.session(name)?;
        let done = Box::pin(session.execute(code)).await;
        self.0.stats.lock().note(&done);
        done
    }

    /// Installs a package for a session, which begins where there is none of this name.
    pub async fn install(&self, name: &str, package: &Package) -> Result<Installed, Error> {
        package.check().map_err(Error::BadArgument)?;
        let session = self.session(name)?;
        let installed = Box::pin(packages::install(&session, package)).await?;
        self.0.stats.lock().packages += 1;
        Ok(installed)
    }

    /// Tells which sessions are open.
    pub fn list(&self) -> Vec<Described> {
        let open = self.0.open.lock();
        let described = |(name, session): (&String, &Arc<Session>)| {
            let usage = session.usage();
            let (name, created) = (name.clone(), session.created);
            Described { name, created, accessed: usage.accessed, calls: usage.calls, is_running: usage.running > 0 }
        };
        open.sessions.iter().map(described).collect()
    }

    /// Ends a session, and the call that is under way in it.
    pub fn close(&self, name: &str) -> Result<(), Error> {
        let session = self.0.open.lock().sessions.remove(name);
        session.map(|session| session.close()).ok_or_else(|| Error::NoSession(name.to_owned()))
    }

    /// Ends the sessions that nobody has called for so long; returns their names.
    pub fn cleanup(&self, age: Duration) -> Vec<String> {
        self.0.cleanup(age)
    }

    /// Ends all sessions.
    pub fn end(&self) {
        let open = std::mem::take(&mut *self.0.open.lock());
        open.sessions.values().for_each(|session| session.close());
    }

    pub fn stats(&self) -> Stats {
        *self.0.stats.lock()
    }

    /// Finds out whether codes can be run, and how well that goes.
    pub async fn health(&self) -> Health {
        Box::pin(health::of(self.list().len(), &self.stats())).await
    }

    fn session(&self, name: &str) -> Result<Arc<Session>, Error> {
        if name.is_empty() || name.chars().count() > LONGEST || name.chars().any(char::is_control) {
            return Err(Error::BadArgument(format!(
                "the name of a session has 1 to {LONGEST} characters, all of them printed"
            )));
        }
        let mut open = self.0.open.lock();
        if let Some(session) = open.sessions.get(name) {
            return Ok(Arc::clone(session));
        }
        if open.sessions.len() >= MOST_SESSIONS {
            let message =
                format!("{MOST_SESSIONS} sessions are open, and there may be no more; close one of them first");
            return Err(Error::TooMany(message));
        }
        let session = Arc::new(open.begin().map_err(|error| Error::Start(error.to_string()))?);
        open.sessions.insert(name.to_owned(), Arc::clone(&session));
        open.idle.get_or_insert_with(|| timer(Arc::downgrade(&self.0)));
        drop(open);
        self.0.stats.lock().sessions += 1;
        Ok(session)
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        self.end();
    }
}

impl Open {
    fn begin(&mut self) -> std::io::Result<Session> {
        let root = match &self.root {
            Some(root) => Arc::clone(root),
            None => Arc::clone(self.root.insert(Arc::new(Root::new()?))),
        };
        Session::new(&root)
    }
}

impl Shared {
    fn cleanup(&self, age: Duration) -> Vec<String> {
        let mut open = self.open.lock();
        let is_old = |session: &Session| {
            let usage = session.usage();
            usage.running == 0 && usage.last.elapsed() >= age
        };
        let old: Vec<String> =
            open.sessions.iter().filter(|(_, session)| is_old(session)).map(|(name, _)| name.clone()).collect();
        let ended: Vec<_> = old.iter().filter_map(|name| open.sessions.remove(name)).collect();
        drop(open);
        drop(ended);
        old
    }
}

/// Ends sessions that nobody calls, for as long as there are any.
fn timer(shared: Weak<Shared>) -> Timer {
    let task = tokio::spawn(async move {
        let idle = Duration::from_secs(IDLE);
        loop {
            tokio::time::sleep(idle / 60).await;
            let Some(shared) = shared.upgrade() else { return };
            shared.cleanup(idle);
        }
    });
    Timer(task.abort_handle())
}
