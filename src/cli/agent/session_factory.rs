//! What each session of a server is made of: the table and its devices, other servers beside them, what is recorded, what is offered.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use uixt_call::{Caller, Exposure};
use uixt_core::tool_times::SharedToolTimes;
use uixt_studio::{Studio, Watched};
use uixt_ui::page::Pages;

use super::hosting::Sessionless;
use super::recording::Recorded;
use super::then::ThenArgs;
use super::translated;
use crate::cli::data;
use crate::cli::packages::PackagesArgs;
use crate::cli::project_tools;
use crate::cli::shell::call::language::Language;
use crate::cli::surroundings::{self, Around};
use crate::cli::ui::view::InstancePage;
use crate::driver::{Driver, Registry};
use crate::mcp::client::{Aggregate, Servers};
use crate::mcp::server::{Changes, Folder, Server, Views};
use crate::testcase::TestCase;
use crate::tools::{self, Audience, Listing, Local};
use uixt_toolkit::{OtherServers, Session};
use uixt_tools_ui::DataFile;

pub(super) struct SessionFactory {
    pub(super) registry: Arc<Registry>,
    /// The device that sessions begin with.
    pub(super) selected: Option<Arc<dyn Driver>>,
    /// Where people see what agents do.
    pub(super) studio: Option<Arc<Studio>>,
    pub(super) listing: Listing,
    /// The folder of `--allow-dir`.
    pub(super) folder: Option<Arc<Folder>>,
    pub(super) recorded: Recorded,
    /// Which devices sessions acted on, for all of them.
    pub(super) changes: Arc<Changes>,
    /// Those of `--with`, and its file.
    pub(super) others: Arc<Servers>,
    pub(super) with: Option<PathBuf>,
    /// The tools that the project made of steps.
    pub(super) project: Vec<Arc<TestCase>>,
    /// The page of UI instances; none where they have no place to be kept.
    pub(in crate::cli) pages: Option<Arc<Pages>>,
    /// The hosts of private networks that agents may open.
    pub(super) private_hosts: Vec<String>,
    pub(super) packages: PackagesArgs,
    pub(super) then: ThenArgs,
    /// In which wrong calls are answered.
    pub(super) language: Language,
    /// What the calls of all sessions add up to.
    pub(super) times: SharedToolTimes,
}

impl SessionFactory {
    /// Serves a session of its own.
    pub(super) fn server(&self) -> Server {
        let session = self.session();
        self.serving(self.around(Arc::new(self.local(&session)), &session))
    }

    /// Returns what answers all requests that belong to no session, and its server.
    pub(super) fn sessionless(&self) -> (Arc<dyn Caller>, Server) {
        let session = self.session();
        let caller = self.around(Arc::new(Sessionless(self.local(&session))), &session);
        (self.changes.around(Arc::clone(&caller)), self.serving(caller))
    }

    fn session(&self) -> Arc<Session> {
        let session = self.selected.clone().map_or_else(Session::default, Session::on);
        let session = session.with(DataFile(data::file(Path::new(".")))).with(self.packages.setting());
        let others = OtherServers(Some(Arc::clone(&self.others) as Arc<dyn uixt_call::Servers>));
        let session = self.around_sessions().tell(session).with(others);
        Arc::new(session)
    }

    fn local(&self, session: &Arc<Session>) -> Local {
        let folder = self.folder.as_ref().map(|folder| folder.root().to_owned());
        let local = Local::new(Arc::clone(&self.registry), Arc::clone(session), Audience::Agent);
        self.then.of(local.listing(self.listing.clone()).offering(folder).opening(self.private_hosts.clone()))
    }

    /// Returns what is around a session: which of the tools are listed, and what the user has beside them.
    fn around_sessions(&self) -> Around {
        let listed = self.listing.names(|tool| tool.exposure == Exposure::Everyone);
        surroundings::here(self.with.clone()).listing(listed).having(&self.project)
    }

    /// Puts other servers' tools beside a caller's own, records what goes to it, and puts the project's tools before that, whose steps
    /// are such calls.
    fn around(&self, caller: Arc<dyn Caller>, session: &Arc<Session>) -> Arc<dyn Caller> {
        translated::around(self.with_project(caller, session), self.language)
    }

    fn with_project(&self, caller: Arc<dyn Caller>, session: &Arc<Session>) -> Arc<dyn Caller> {
        let caller = match &self.studio {
            Some(studio) => Arc::new(Watched::new(caller, Arc::clone(studio))),
            None => caller,
        };
        let caller = self.recorded.around(Aggregate::of(caller, &self.others));
        if self.project.is_empty() {
            return caller;
        }
        let beyond = Local::new(Arc::clone(&self.registry), Arc::clone(session), Audience::Testcase);
        let tools = project_tools::those(caller, self.project.clone());
        Arc::new(tools.for_agents(Arc::new(beyond), self.listing.is_prefixed()))
    }

    fn serving(&self, caller: Arc<dyn Caller>) -> Server {
        let registry = Arc::clone(&self.registry);
        let times = SharedToolTimes::clone(&self.times);
        let server = Server::new(tools::table(), caller, &self.local(&self.session()).unlisted(), times);
        let server = server.sharing(Arc::clone(&self.changes));
        let server = server.hearing(Arc::new(move || registry.changes()));
        let server = self.others.changes().into_iter().fold(server, Server::announcing);
        let server = self.folder.iter().cloned().fold(server, Server::offering);
        let page = |pages: &Arc<Pages>| Views(Arc::new(InstancePage(Arc::clone(pages))));
        self.pages.iter().fold(server, |server, pages| server.with(Arc::new(page(pages))))
    }
}
