//! The environment of a CI server → which job this is. Knows the variables that servers set, nothing of results.

/// A job of a CI server.
pub(super) struct Job {
    /// What a person calls the server.
    pub(super) server: &'static str,
    /// Allure's name of its kind.
    pub(super) kind: &'static str,
    pub(super) name: String,
    /// Counts the server's runs of the job.
    pub(super) number: Option<u64>,
    pub(super) url: Option<String>,
}

impl Job {
    /// Finds out which job the process runs in; none where it runs in no job that is known.
    pub(super) fn detect() -> Option<Self> {
        Self::of(&|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn of(variable: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let job = |server, kind, name: Option<String>, number: Option<String>, url| Self {
            server,
            kind,
            name: name.unwrap_or_else(|| server.to_owned()),
            number: number.and_then(|number| number.parse().ok()),
            url,
        };
        if variable("GITHUB_ACTIONS").as_deref() == Some("true") {
            let address = |server, repository, run| format!("{server}/{repository}/actions/runs/{run}");
            let url = variable("GITHUB_SERVER_URL")
                .zip(variable("GITHUB_REPOSITORY"))
                .zip(variable("GITHUB_RUN_ID"))
                .map(|((server, repository), run)| address(server, repository, run));
            let (name, number) = (variable("GITHUB_WORKFLOW"), variable("GITHUB_RUN_NUMBER"));
            return Some(job("GitHub Actions", "github", name, number, url));
        }
        if variable("GITLAB_CI").is_some() {
            let (name, number) = (variable("CI_JOB_NAME"), variable("CI_PIPELINE_IID"));
            return Some(job("GitLab CI", "gitlab", name, number, variable("CI_JOB_URL")));
        }
        if variable("JENKINS_URL").is_some() {
            let (name, number) = (variable("JOB_NAME"), variable("BUILD_NUMBER"));
            return Some(job("Jenkins", "jenkins", name, number, variable("BUILD_URL")));
        }
        if variable("TEAMCITY_VERSION").is_some() {
            let (name, number) = (variable("TEAMCITY_BUILDCONF_NAME"), variable("BUILD_NUMBER"));
            return Some(job("TeamCity", "teamcity", name, number, None));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_told_by_what_its_server_sets() {
        let set = [
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_SERVER_URL", "https://github.com"),
            ("GITHUB_REPOSITORY", "a/b"),
            ("GITHUB_RUN_ID", "77"),
            ("GITHUB_RUN_NUMBER", "5"),
        ];
        let of = |set: &[(&str, &str)]| {
            let set: Vec<_> = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            Job::of(&move |name| set.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()))
        };
        let job = of(&set).unwrap();
        assert_eq!((job.server, job.number), ("GitHub Actions", Some(5)));
        assert_eq!(job.url.as_deref(), Some("https://github.com/a/b/actions/runs/77"));
        assert!(of(&[("GITHUB_ACTIONS", "false")]).is_none());
        assert_eq!(of(&[("JENKINS_URL", "x"), ("BUILD_NUMBER", "12")]).unwrap().number, Some(12));
    }
}
