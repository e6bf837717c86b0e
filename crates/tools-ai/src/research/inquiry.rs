//! The course of research: ask, read, see what is missing, ask again.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};
use uixt_call::Progress;
use uixt_locate::{Error, Kind};
use uixt_research::{Found, Link, Passage, Reach, Source, Unread, ranked, split};
use uixt_toolkit::{Context, Reply};

use super::answer::{self, Asked};
use super::sources::{self, ResearchSources};
use super::thinking::Thinker;

/// Pages that are read at a time.
const AT_ONCE: usize = 4;

/// How much of the time is for finding and reading; the rest is for the model's answer.
const READING: f64 = 0.7;

/// Passages of one page or file that are shown.
const OF_ONE: usize = 4;

/// How much is asked and read.
pub(super) struct Depth {
    pub(super) queries: usize,
    pub(super) loops: usize,
    /// In one round.
    pub(super) pages: usize,
    pub(super) passages: usize,
}

/// What somebody wants to know.
pub(super) struct Inquiry {
    pub(super) question: String,
    pub(super) focus: Option<String>,
    /// Queries to begin with; empty where they are to be found.
    pub(super) given: Vec<String>,
    pub(super) depth: Depth,
    /// The service of the model that the call names.
    pub(super) service: Option<String>,
    pub(super) patience: Duration,
}

/// What was found so far.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) passages: Vec<Passage>,
    pub(super) asked: Vec<Asked>,
    pub(super) failures: Vec<Unread>,
    /// Files of the project that were not read.
    pub(super) unread: Vec<Unread>,
    pub(super) loops: usize,
    /// Addresses that were read, or could not be.
    seen: HashSet<String>,
}

impl Inquiry {
    /// Asks a question and nothing beside it.
    pub(super) fn of(question: String, depth: Depth, patience: Duration) -> Self {
        Self { question, focus: None, given: Vec::new(), depth, service: None, patience }
    }

    pub(super) async fn run(self, cx: &Context) -> Result<Reply, Error> {
        let told = cx.session.setting::<ResearchSources>();
        let until = Instant::now() + self.patience;
        let reading = Instant::now() + self.patience.mul_f64(READING);
        let sources = sources::all(cx, &told, self.patience.mul_f64(READING))?;
        let mut thinker = Thinker::of(cx, self.service.as_deref(), until)?;
        let reach = Arc::new(Reach::new(&told.hosts).map_err(|why| Error::new(Kind::Service, why))?);
        let question = match &self.focus {
            Some(focus) => format!("{} ({focus})", self.question),
            None => self.question.clone(),
        };
        let rounds = if thinker.is_some() { self.depth.loops } else { 1 };
        let mut gathered = Gathered::default();
        let mut queries = self.begin(&question, thinker.as_mut()).await?;
        while !queries.is_empty() {
            cx.progress.begin(gathered.loops, rounds + 1, || format!("Asking: {}", queries.join("; ")));
            gathered.round(queries, &sources, (&reach, self.depth.pages), (reading, &cx.progress)).await;
            gathered.loops += 1;
            queries = Vec::new();
            if let Some(thinker) = thinker.as_mut().filter(|_| gathered.loops < rounds && Instant::now() < reading) {
                queries = self.go_on(&question, thinker, &gathered, &sources).await?;
            }
        }
        gathered.check()?;
        let places = gathered.ranked(&question, self.depth.passages);
        let shown: Vec<&Passage> = places.iter().filter_map(|at| gathered.passages.get(*at)).collect();
        if shown.is_empty() {
            return Err(answer::nothing(&self.question, &gathered));
        }
        cx.progress.begin(rounds, rounds + 1, || "Answering".to_owned());
        let Some(thinker) = &mut thinker else { return Ok(answer::of_passages(&gathered, &shown, None)) };
        match thinker.statements(&question, &shown).await {
            Ok(said) if said.is_empty() => {
                Err(thinker.told(answer::unanswered(answer::nothing(&self.question, &gathered), &shown)))
            }
            Ok(said) => Ok(thinker.tells(answer::of_statements(&gathered, &shown, &said))),
            Err(error) => Err(answer::unanswered(error, &shown)),
        }
    }

    /// Returns the first queries: those that are given, those that a model writes, or the question itself.
    async fn begin(&self, question: &str, thinker: Option<&mut Thinker>) -> Result<Vec<String>, Error> {
        let own = || [Some(&self.question), self.focus.as_ref()].into_iter().flatten().cloned();
        let mut queries: Vec<String> = match thinker {
            _ if !self.given.is_empty() => return Ok(self.given.clone()),
            Some(thinker) => own().chain(thinker.queries(question, self.depth.queries).await?).collect(),
            None => own().collect(),
        };
        queries.truncate(self.depth.queries.max(own().count()));
        Ok(queries)
    }

    /// Returns queries for what is missing. Where queries leave this computer, no word of its files is shown to whoever writes them.
    async fn go_on(
        &self,
        question: &str,
        thinker: &mut Thinker,
        gathered: &Gathered,
        sources: &[Box<dyn Source>],
    ) -> Result<Vec<String>, Error> {
        let is_of_web = sources.iter().any(|source| source.is_of_web());
        let places = gathered.ranked(question, self.depth.passages);
        let passages = places.iter().filter_map(|at| gathered.passages.get(*at));
        let shown: Vec<&Passage> = passages.filter(|passage| !(is_of_web && passage.document.is_file)).collect();
        let mut queries = thinker.missing(question, &shown, self.depth.queries).await?;
        queries.retain(|query| gathered.asked.iter().all(|asked| asked.query != *query));
        Ok(queries)
    }
}

impl Gathered {
    /// Asks all sources, and reads what they name.
    async fn round(
        &mut self,
        queries: Vec<String>,
        sources: &[Box<dyn Source>],
        (reach, pages): (&Arc<Reach>, usize),
        (until, progress): (Instant, &Progress),
    ) {
        let first = self.asked.len();
        self.asked.extend(queries.iter().map(|query| Asked { query: query.clone(), addresses: Vec::new() }));
        let mut links: Vec<VecDeque<Link>> = queries.iter().map(|_| VecDeque::new()).collect();
        let asking = sources.iter().map(|source| timeout_at(until, source.find(&queries)));
        let answers = futures_util::future::join_all(asking).await;
        for (source, found) in sources.iter().zip(answers) {
            let late = |_| vec![Err("it took too long".to_owned())];
            for (at, found) in found.unwrap_or_else(late).into_iter().enumerate() {
                match found {
                    Ok(Found::Passages(passages, unread)) => {
                        self.add(first + at, passages);
                        self.unread = unread;
                    }
                    Ok(Found::Links(found)) => {
                        if let Some(links) = links.get_mut(at) {
                            links.extend(found);
                        }
                    }
                    Err(why) => self.fail(source.name(), why),
                }
            }
        }
        self.read(first, links, (reach, pages), (until, progress)).await;
    }

    fn add(&mut self, query: usize, passages: Vec<Passage>) {
        for passage in passages {
            let address = &passage.document.address;
            if let Some(asked) = self.asked.get_mut(query).filter(|asked| !asked.addresses.contains(address)) {
                asked.addresses.push(address.clone());
            }
            let is_there = |other: &Passage| other.lines == passage.lines && other.document.address == *address;
            if !passage.document.is_file || !self.passages.iter().any(is_there) {
                self.passages.push(passage);
            }
        }
    }

    fn fail(&mut self, what: &str, why: String) {
        let failure = Unread { what: what.to_owned(), why };
        if !self.failures.contains(&failure) {
            self.failures.push(failure);
        }
    }

    /// Reads up to so many pages, of each query in turn.
    async fn read(
        &mut self,
        first: usize,
        mut links: Vec<VecDeque<Link>>,
        (reach, pages): (&Arc<Reach>, usize),
        (until, progress): (Instant, &Progress),
    ) {
        let mut chosen: VecDeque<(usize, Link)> = VecDeque::new();
        while chosen.len() < pages && links.iter().any(|links| !links.is_empty()) {
            for (at, links) in links.iter_mut().enumerate() {
                let next = links.pop_front().filter(|link| self.seen.insert(link.address.clone()));
                chosen.extend(next.map(|link| (first + at, link)));
            }
        }
        chosen.truncate(pages);
        let (count, mut done) = (chosen.len(), 0);
        // What is still being read is given up where the call is.
        let mut reading = JoinSet::new();
        loop {
            while reading.len() < AT_ONCE
                && let Some((query, link)) = chosen.pop_front()
            {
                let reach = Arc::clone(reach);
                reading.spawn(async move { (query, timeout_at(until, reach.read(&link)).await, link) });
            }
            let Some(read) = reading.join_next().await else { break };
            let Ok((query, read, link)) = read else { continue };
            done += 1;
            let number = |number: usize| u32::try_from(number).map_or(f64::MAX, f64::from);
            progress.say(number(done), number(count), || format!("Read {}", link.address));
            match read {
                Ok(Ok((document, text))) => {
                    if document.is_cut {
                        self.fail(&link.address, "only its beginning was read: it is too large".to_owned());
                    }
                    let document = Arc::new(document);
                    let passage = |piece: uixt_research::Piece| Passage {
                        document: Arc::clone(&document),
                        text: text[piece.bytes].to_owned(),
                        lines: None,
                    };
                    self.seen.insert(document.address.clone());
                    self.add(query, split(&text).into_iter().map(passage).collect());
                }
                Ok(Err(why)) => self.fail(&link.address, why),
                Err(_) => self.fail(&link.address, "it took too long".to_owned()),
            }
        }
    }

    /// Fails where no source could be asked at all.
    fn check(&self) -> Result<(), Error> {
        match self.failures.first().filter(|_| self.passages.is_empty()) {
            Some(first) => {
                Err(Error::new(Kind::Service, format!("nothing could be read: {}: {}", first.what, first.why))
                    .with("skipped", answer::skipped(self)))
            }
            None => Ok(()),
        }
    }

    fn ranked(&self, question: &str, most: usize) -> Vec<usize> {
        let asked: Vec<&str> =
            std::iter::once(question).chain(self.asked.iter().map(|asked| asked.query.as_str())).collect();
        ranked(&self.passages, &asked, most, OF_ONE)
    }
}
