//! Where the variables of `${VAR}` are looked up: the files of a project and of the command line, and the environment.

use std::collections::BTreeMap;

use super::config::Owner;
use super::expand::Found;

/// Variables beside the environment's. What they hold is secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Variables {
    /// Those of `--env-file`, which win over all others.
    pub given: BTreeMap<String, String>,
    /// Those of the project's `.env`. They win over the environment, but for the user's own file of servers: there a project may add
    /// to what the user has set, and not change it.
    pub project: BTreeMap<String, String>,
}

impl Variables {
    pub(super) fn look_up(&self, name: &str, owner: Owner) -> Option<Found> {
        let secret = |of: &BTreeMap<String, String>| Some(Found { value: of.get(name)?.clone(), is_secret: true });
        let environment = || Some(Found { value: std::env::var(name).ok()?, is_secret: false });
        secret(&self.given).or_else(|| match owner {
            Owner::Project => secret(&self.project).or_else(environment),
            Owner::User => environment().or_else(|| secret(&self.project)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_win_over_the_environment_but_not_over_the_users_own() {
        let of = |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let variables = Variables { given: of(&[("A", "1")]), project: of(&[("A", "2"), ("B", "3"), ("PATH", "4")]) };
        let value = |name: &str, owner| variables.look_up(name, owner).map(|found| (found.value, found.is_secret));
        for owner in [Owner::Project, Owner::User] {
            assert_eq!(value("A", owner), Some(("1".to_owned(), true)));
            assert_eq!(value("B", owner), Some(("3".to_owned(), true)));
            assert_eq!(value("NO_SUCH_VARIABLE", owner), None);
        }
        assert_eq!(value("PATH", Owner::Project), Some(("4".to_owned(), true)));
        assert_eq!(value("PATH", Owner::User), std::env::var("PATH").ok().map(|path| (path, false)));
    }
}
