//! A queue, as its scripts on the server know it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, Script};

use super::{Address, Entry, Error, Status, Taken};

/// How long a queue is kept after the last change of it.
const KEPT: Duration = Duration::from_hours(24);
/// How often a case is given out at most.
const MOST: u32 = 2;
/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(5);
/// What a queue consists of, beside a list for each lane.
const KEYS: [&str; 13] =
    ["about", "lane", "lanes", "locks", "taken", "leases", "owner", "before", "held", "done", "by", "results", "hosts"];
/// What stands between the names of locks.
const BETWEEN: &str = "\u{1f}";

/// One host's way to a queue.
pub struct Queue {
    address: Address,
    connection: ConnectionManager,
    /// What this host is called.
    host: String,
    lease: Duration,
    /// Which queue of this name it is: another one after the server has lost it.
    epoch: Mutex<String>,
    scripts: Scripts,
}

struct Scripts {
    fill: Script,
    take: Script,
    renew: Script,
    complete: Script,
    restore: Script,
}

impl Queue {
    /// Connects to the server. A lease that is not renewed for so long is given to another host.
    pub async fn open(address: Address, host: String, lease: Duration) -> Result<Self, Error> {
        let failed = |error: redis::RedisError| Error::Server { at: address.to_string(), why: error.to_string() };
        let client = Client::open(address.url()).map_err(failed)?;
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(ANSWER))
            .set_response_timeout(Some(ANSWER))
            .set_number_of_retries(1);
        let connection = ConnectionManager::new_with_config(client, config).await.map_err(failed)?;
        let scripts = Scripts {
            fill: script(include_str!("scripts/fill.lua")),
            take: script(include_str!("scripts/take.lua")),
            renew: script(include_str!("scripts/renew.lua")),
            complete: script(include_str!("scripts/complete.lua")),
            restore: script(include_str!("scripts/restore.lua")),
        };
        Ok(Self { address, connection, host, lease, epoch: Mutex::default(), scripts })
    }

    pub fn host(&self) -> &str {
        &self.host
    }

    pub fn lease(&self) -> Duration {
        self.lease
    }

    /// Begins the queue with these cases, unless it has begun; it must hold the same then. Where it begins anew, since the server lost it,
    /// nothing is given out for the time of a lease, so that other hosts can say what they have done.
    pub async fn fill(&self, digest: &str, entries: &[Entry], is_anew: bool) -> Result<(), Error> {
        let opens = if is_anew { self.lease } else { Duration::ZERO };
        let mut call = self.scripts.fill.key(self.prefix());
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let epoch = format!("{} {}", self.host, since.as_nanos());
        call.arg(digest).arg(epoch).arg(milliseconds(KEPT)).arg(milliseconds(opens));
        for entry in entries {
            call.arg(&entry.id).arg(&entry.lane).arg(entry.locks.join(BETWEEN));
        }
        let (theirs, epoch): (String, String) = self.ask(call.invoke_async(&mut self.connection.clone()).await)?;
        if theirs == digest {
            // One that is begun anew is told first what was done.
            if !is_anew {
                self.set_epoch(epoch);
            }
            return Ok(());
        }
        Err(Error::Other { name: self.address.name().to_owned(), theirs, ours: digest.to_owned() })
    }

    fn epoch(&self) -> String {
        self.epoch.lock().clone()
    }

    fn set_epoch(&self, epoch: String) {
        *self.epoch.lock() = epoch;
    }

    /// Takes a case of one of these lanes. Errors: also [`Error::Gone`] and [`Error::Anew`], as those of `renew` and `complete`; what this
    /// host knows is told by `fill` and `restore` then.
    pub async fn take(&self, lanes: &[String]) -> Result<Taken, Error> {
        let mut call = self.scripts.take.key(self.prefix());
        call.arg(self.epoch()).arg(&self.host).arg(milliseconds(self.lease)).arg(MOST).arg(lanes);
        let answer: Vec<String> = self.ask(call.invoke_async(&mut self.connection.clone()).await)?;
        let mut answer = answer.into_iter();
        let kind = answer.next().unwrap_or_default();
        let (first, second) = (answer.next().unwrap_or_default(), answer.next().unwrap_or_default());
        Ok(match kind.as_str() {
            "case" => Taken::Case { id: first, before: Some(second).filter(|host| !host.is_empty()) },
            "lost" => Taken::Lost { id: first, hosts: second },
            "over" => Taken::Over { others: first.parse().unwrap_or_default() },
            _ => Taken::Wait,
        })
    }

    /// Renews the leases of cases; returns those that are another host's by now.
    pub async fn renew(&self, ids: &[String]) -> Result<Vec<String>, Error> {
        let mut call = self.scripts.renew.key(self.prefix());
        call.arg(self.epoch()).arg(&self.host).arg(milliseconds(self.lease)).arg(ids);
        self.ask(call.invoke_async(&mut self.connection.clone()).await)
    }

    /// Hands over the results of a case; false where its lease is another host's by now.
    pub async fn complete(&self, id: &str, outcome: &str, results: &[u8]) -> Result<bool, Error> {
        let mut call = self.scripts.complete.key(self.prefix());
        call.arg(self.epoch()).arg(&self.host).arg(id).arg(outcome).arg(results);
        self.ask(call.invoke_async(&mut self.connection.clone()).await)
    }

    /// Tells a queue that was begun anew what this host has done, with outcomes and results, and what it has in hand.
    /// Returns what is done of it that another host has been given meanwhile.
    pub async fn restore(&self, done: &[(String, String, Vec<u8>)], in_hand: &[String]) -> Result<Vec<String>, Error> {
        let mut call = self.scripts.restore.key(self.prefix());
        call.arg(&self.host).arg(milliseconds(self.lease)).arg(done.len());
        for (id, outcome, results) in done {
            call.arg(id).arg(outcome).arg(&results[..]);
        }
        call.arg(in_hand);
        let mut answer: Vec<String> = self.ask(call.invoke_async(&mut self.connection.clone()).await)?;
        if !answer.is_empty() {
            self.set_epoch(answer.remove(0));
        }
        Ok(answer)
    }

    /// Tells how far the queue is; none where there is none.
    pub async fn status(&self) -> Result<Option<Status>, Error> {
        let mut to = self.connection.clone();
        let key = |name: &str| format!("{}{name}", self.prefix());
        let (digest, cases): (Option<String>, Option<u64>) =
            self.ask(redis::cmd("HMGET").arg(key("about")).arg("digest").arg("cases").query_async(&mut to).await)?;
        let (Some(digest), Some(cases)) = (digest, cases) else { return Ok(None) };
        let lanes: Vec<String> = self.ask(redis::cmd("SMEMBERS").arg(key("lanes")).query_async(&mut to).await)?;
        let mut waiting = Vec::new();
        for lane in lanes {
            let count: u64 =
                self.ask(redis::cmd("LLEN").arg(key(&format!("todo:{lane}"))).query_async(&mut to).await)?;
            waiting.push((lane, count));
        }
        waiting.sort();
        let mut leased: Vec<(String, String)> =
            self.ask(redis::cmd("HGETALL").arg(key("owner")).query_async(&mut to).await)?;
        leased.sort();
        let outcomes: Vec<String> = self.ask(redis::cmd("HVALS").arg(key("done")).query_async(&mut to).await)?;
        let mut done: Vec<(String, u64)> = Vec::new();
        for outcome in outcomes {
            match done.iter_mut().find(|(known, _)| *known == outcome) {
                Some((_, count)) => *count += 1,
                None => done.push((outcome, 1)),
            }
        }
        done.sort();
        Ok(Some(Status { digest, cases, waiting, leased, done }))
    }

    /// Returns a stretch of the results that hosts handed over, in the order in which they did; empty at the end.
    pub async fn results(&self, from: usize, most: usize) -> Result<Vec<Vec<u8>>, Error> {
        let key = format!("{}results", self.prefix());
        let call = redis::cmd("LRANGE").arg(key).arg(from).arg(from + most - 1).to_owned();
        self.ask(call.query_async(&mut self.connection.clone()).await)
    }

    /// Removes the queue.
    pub async fn remove(&self) -> Result<(), Error> {
        let mut to = self.connection.clone();
        let key = |name: &str| format!("{}{name}", self.prefix());
        let lanes: Vec<String> = self.ask(redis::cmd("SMEMBERS").arg(key("lanes")).query_async(&mut to).await)?;
        let lanes = lanes.iter().map(|lane| key(&format!("todo:{lane}")));
        let keys: Vec<String> = KEYS.iter().map(|name| key(name)).chain(lanes).collect();
        self.ask::<u64>(redis::cmd("DEL").arg(keys).query_async(&mut to).await).map(drop)
    }

    fn prefix(&self) -> String {
        format!("uixt:{{{}}}:", self.address.name())
    }

    fn ask<T>(&self, answer: redis::RedisResult<T>) -> Result<T, Error> {
        answer.map_err(|error| match error.code() {
            Some("GONE") => Error::Gone,
            Some("ANEW") => Error::Anew,
            _ => Error::Server { at: self.address.to_string(), why: error.to_string() },
        })
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Returns a script with what all of them share before it.
fn script(own: &str) -> Script {
    Script::new(&format!("{}{own}", include_str!("scripts/common.lua")))
}
