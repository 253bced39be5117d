//! What the commands with a page share: the server's arguments, and how tasks are drawn.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use serde::Serialize;
use tutelage::SpaceKind;
use tutelage_spec::Task;
use tutelage_teach::{Access, Axis, Controls, Server, ServerConfig, ServerError, Site, Token};

use crate::output::{Output, note};

/// Arguments of the page's server.
#[derive(clap::Args)]
pub(crate) struct PageArgs {
    /// Port to listen on; 0 selects a free port
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1", value_name = "IP")]
    listen: IpAddr,
    /// Allow an address that other machines can reach; anyone with the token can use the page
    #[arg(long, alias = "beyond-this-machine")]
    allow_remote: bool,
    /// Keep the token in this file, so that the URL survives a restart [default: a new token]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

#[derive(Serialize)]
struct Address<'a> {
    url: &'a str,
}

impl PageArgs {
    /// Serves a page and prints its URL.
    pub(crate) fn serve(&self, site: Site, what: &str, output: &Output) -> anyhow::Result<Server> {
        let token = match &self.token_file {
            Some(file) => Token::kept_in(file)?,
            None => Token::random()?,
        };
        let config = ServerConfig {
            address: SocketAddr::new(self.listen, self.port),
            access: if self.allow_remote { Access::Remote } else { Access::Local },
            ..ServerConfig::local(self.port, token)
        };
        let server = Server::start(config, site).map_err(|error| match error {
            ServerError::Remote(_) => anyhow::anyhow!("{error} with --allow-remote"),
            error => error.into(),
        })?;
        if !self.listen.is_loopback() {
            note(&format!(
                "warning: other machines can reach {} over an unencrypted connection; anyone with the token can use the page",
                server.address()
            ));
        }
        let url = server.url();
        output.json(&Address { url: &url })?;
        output.say(&format!("{what}\n\n    {url}\n\nPress Ctrl-C to stop."))?;
        Ok(server)
    }
}

/// How a person sets an action of a task.
pub(crate) fn controls(task: Task) -> Controls {
    let words = task.value_names();
    let text = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    match (task.actions(), task.bounds()) {
        (SpaceKind::Continuous, Some(bounds)) => {
            let end = |i: usize, which: usize| words.ends.get(i).map_or("", |ends| ends[which]);
            let axis = |i: usize| Axis {
                name: words.actions.get(i).map_or(format!("number {}", i + 1), |n| (*n).into()),
                low_label: end(i, 0).into(),
                high_label: end(i, 1).into(),
                low: bounds.low()[i],
                high: bounds.high()[i],
            };
            Controls::Axes((0..bounds.width()).map(axis).collect())
        }
        _ => Controls::Choice(text(words.actions)),
    }
}
