//! The tree of a script → commands run one after the other, or side by side in a pipeline.

use std::io;
use std::pin::Pin;

use tokio::task::JoinSet;

use super::syntax::{Body, Join, List, Pipeline, Redirect, Script, Stage};
use super::{Channel, Input, Io, NAME, Output, Shell, pipe};
use crate::commands::{self, Call};

/// Exit code of a command whose reader is gone (SIGPIPE).
const BROKEN_PIPE: u8 = 141;
const NOT_FOUND: u8 = 127;
/// Bytes that all variables may hold.
const LARGEST_VARIABLES: usize = 4 << 20;

type Ran<'a> = Pin<Box<dyn Future<Output = io::Result<u8>> + Send + 'a>>;

impl Shell {
    pub(super) fn set_status(&mut self, status: u8) {
        self.status = status;
    }

    /// Runs a script; fails only when the outputs are gone.
    pub(super) fn script<'a>(&'a mut self, script: &'a Script, io: &'a Io) -> Ran<'a> {
        Box::pin(async move {
            let mut status = 0;
            for list in &script.lists {
                status = self.list(list, io).await?;
                if self.leaving.is_some() {
                    break;
                }
            }
            Ok(status)
        })
    }

    async fn list(&mut self, list: &List, io: &Io) -> io::Result<u8> {
        let mut status = self.pipeline(&list.first, io).await?;
        for (join, pipeline) in &list.rest {
            let goes_on = match join {
                Join::And => status == 0,
                Join::Or => status != 0,
            };
            if goes_on && self.leaving.is_none() {
                status = self.pipeline(pipeline, io).await?;
            }
        }
        Ok(status)
    }

    async fn pipeline(&mut self, pipeline: &Pipeline, io: &Io) -> io::Result<u8> {
        let ran = match pipeline.stages.as_slice() {
            [stage] => self.stage(stage, io.clone()).await,
            stages => self.side_by_side(stages, io).await,
        };
        let status = match ran {
            Ok(status) => status,
            // A full disk or a text too long is told; where the client is gone, telling fails, too, and ends the script.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                io.err.write(format!("{NAME}: {error}\n")).await?;
                1
            }
            Err(error) => return Err(error),
        };
        self.status = if pipeline.negated { u8::from(status == 0) } else { status };
        Ok(self.status)
    }

    /// Runs every stage in a shell of its own, joined by pipes; returns the last one's exit code.
    async fn side_by_side(&mut self, stages: &[Stage], io: &Io) -> io::Result<u8> {
        let mut running = JoinSet::new();
        let mut input = io.input.clone();
        let last = stages.len() - 1;
        for (index, stage) in stages.iter().enumerate() {
            let mut out = io.out.clone();
            let mut next = Input::from_bytes(Vec::new());
            if index < last {
                let (to, from) = pipe();
                out = Output::Send { to, channel: Channel::Out, to_client: false };
                next = Input::from_pipe(from);
            }
            let io = Io { input: std::mem::replace(&mut input, next), out, err: io.err.clone() };
            let (mut shell, stage) = (self.clone(), stage.clone());
            running.spawn(async move { (index, shell.stage(&stage, io).await) });
        }
        drop(input);
        let mut status = Ok(BROKEN_PIPE);
        while let Some(ended) = running.join_next().await {
            match ended {
                Ok((index, ran)) if index == last => status = ran,
                Ok(_) => {}
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        status
    }

    fn stage<'a>(&'a mut self, stage: &'a Stage, io: Io) -> Ran<'a> {
        Box::pin(async move {
            let redirected = match self.redirected(&stage.redirects, io.clone()).await? {
                Ok(redirected) => redirected,
                Err(message) => {
                    io.err.write(format!("{NAME}: {message}\n")).await?;
                    return Ok(1);
                }
            };
            match &stage.body {
                Body::Group(script) => self.script(script, &redirected).await,
                Body::Subshell(script) => {
                    let mut inner = self.clone();
                    let status = inner.script(script, &redirected).await?;
                    Ok(inner.leaving.unwrap_or(status))
                }
                Body::Simple { assignments, words } => {
                    let mut values = Vec::new();
                    for (name, word) in assignments {
                        values.push((name.clone(), self.expand_one(word, &redirected).await?));
                    }
                    let words = self.expand(words, &redirected).await?;
                    self.simple(values, words, redirected).await
                }
            }
        })
    }

    async fn simple(&mut self, values: Vec<(String, String)>, words: Vec<String>, io: Io) -> io::Result<u8> {
        let length = |(name, value): (&String, &String)| name.len() + value.len();
        let kept: usize = self.variables.iter().map(length).sum();
        if kept + values.iter().map(|(name, value)| length((name, value))).sum::<usize>() > LARGEST_VARIABLES {
            return Err(io::Error::other("out of memory for variables"));
        }
        let Some(name) = words.first() else {
            self.variables.extend(values);
            return Ok(0);
        };
        let commands = commands::of(self.handset.options.face);
        let Some(command) = commands.find(name) else {
            io.err.write(format!("{NAME}: {name}: inaccessible or not found\n")).await?;
            return Ok(NOT_FOUND);
        };
        let before = (!values.is_empty()).then(|| self.variables.clone());
        self.variables.extend(values);
        let status = if let Some(script) = self.fault(name) {
            Box::pin(self.misbehave(&script, words, &io)).await
        } else {
            let arguments = words.into_iter().skip(1).collect();
            (command.run)(&mut Call { shell: self, arguments, io, commands }).await
        };
        if let Some(before) = before {
            self.variables = before;
        }
        status
    }

    /// Applies redirects in order; the inner error is one for the user: a file that cannot be opened.
    async fn redirected(&mut self, redirects: &[Redirect], mut io: Io) -> io::Result<Result<Io, String>> {
        for redirect in redirects {
            let opened = match redirect {
                Redirect::Join { stderr: true } => {
                    io.err = io.out.clone();
                    Ok(())
                }
                Redirect::Join { stderr: false } => {
                    io.out = io.err.clone();
                    Ok(())
                }
                Redirect::Input(word) => {
                    let name = self.expand_one(word, &io).await?;
                    self.open_input(&name, &mut io)
                }
                Redirect::Output { stderr, append, to } => {
                    let name = self.expand_one(to, &io).await?;
                    let opened = self.open_output(&name, *append, &io);
                    opened.map(|output| *(if *stderr { &mut io.err } else { &mut io.out }) = output)
                }
            };
            if let Err(message) = opened {
                return Ok(Err(message));
            }
        }
        Ok(Ok(io))
    }

    fn open_input(&self, name: &str, io: &mut Io) -> Result<(), String> {
        let content = self.handset.files.lock().read(&self.path(name));
        let content = content.map_err(|errno| format!("can't open {name}: {errno}"))?;
        io.input = Input::from_bytes(content.to_vec());
        Ok(())
    }

    fn open_output(&self, name: &str, append: bool, io: &Io) -> Result<Output, String> {
        match name {
            "/dev/null" => return Ok(Output::Null),
            "/dev/stdout" | "/dev/tty" => return Ok(io.out.clone()),
            "/dev/stderr" => return Ok(io.err.clone()),
            _ => {}
        }
        let path = self.path(name);
        let mut files = self.handset.files.lock();
        let opened = if append { files.append(&path, b"") } else { files.create(&path, 0o660) };
        opened.map_err(|errno| format!("can't create {name}: {errno}"))?;
        drop(files);
        Ok(Output::File { files: self.handset.files.clone(), path })
    }
}
