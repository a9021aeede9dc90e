//! `outcrop serve`

mod body;
mod formats;
mod parameters;
mod pool;
mod question;
mod refusal;
mod server;
mod service;
mod write_timeout;

use crate::options::work::{IoOption, Resources, TemporaryOption};
use crate::output::{info, print};
use crate::progress::ProgressMode;
use clap::Args;
use outcrop::{Cancellation, Error, OpenOptions, Result, counted};
use pool::Pool;
use server::Server;
use service::Service;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::Builder;
use tokio::sync::Notify;

/// Time for a client to send a request, and for one that does not read its response.
const PATIENCE: Duration = Duration::from_secs(30);
/// Maximum number of connections that wait until others close.
const MOST_PENDING: u32 = 1024;
/// Time for queries to notice that they are canceled.
const LAST_QUERIES: Duration = Duration::from_secs(2);

/// Help on the endpoints and the memory.
const NOTES: &str =
    "Endpoints: /info, /neighbors, /degree, /sample and /subgraph, each with the parameters of the command
of this name; / lists them. Example:
  curl 'http://127.0.0.1:8080/neighbors?id=17&id=42&direction=both&format=csv'

Several queries run at a time, at most one per thread, each with an equal share of --memory. For
large queries, use fewer --threads or more --memory. The server changes nothing, has no
authentication, and runs until Ctrl-C or SIGTERM.";

#[derive(Debug, Args)]
#[command(after_help = NOTES)]
pub(crate) struct ServeArguments {
    /// Path of the store
    pub(crate) store: PathBuf,
    /// Local address and port; port 0 for a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080", value_parser = address)]
    listen: SocketAddr,
    #[command(flatten)]
    temporary: TemporaryOption,
    #[command(flatten)]
    io: IoOption,
    #[command(flatten)]
    resources: Resources,
}

impl ServeArguments {
    fn options(&self, cancellation: &Cancellation) -> OpenOptions {
        OpenOptions {
            memory: self.resources.memory,
            threads: self.resources.threads(),
            io: self.io.io,
            temp_folder: self.temporary.tmp_dir.clone(),
            cancellation: cancellation.clone(),
            observer: ProgressMode::None.observer(),
            ..OpenOptions::default()
        }
    }
}

/// Parses a local address and a port.
fn address(text: &str) -> Result<SocketAddr> {
    let local = text.split_once(':').filter(|(host, _)| host.eq_ignore_ascii_case("localhost"));
    let local = local.map(|(_, port)| format!("{}:{port}", Ipv4Addr::LOCALHOST));
    let parsed = local.as_deref().unwrap_or(text).parse::<SocketAddr>();
    let address = parsed.map_err(|_| {
        Error::Usage(format!("the address to listen to must be ADDRESS:PORT, such as 127.0.0.1:8080, not {text:?}"))
    })?;
    if address.ip().is_loopback() {
        return Ok(address);
    }
    Err(Error::Usage(format!(
        "{} is not a local address, and the server has no authentication; listen to 127.0.0.1, and reach it from other machines through an SSH tunnel or a reverse proxy with authentication",
        address.ip()
    )))
}

pub(crate) fn run(arguments: &ServeArguments, cancellation: &Cancellation) -> Result<()> {
    let pool = Pool::open(&arguments.store, arguments.options(cancellation))?;
    let failed = |error| Error::io("start", "the threads of the server", error);
    // One thread for connections, one per query, and one that closes handles.
    let runtime =
        Builder::new_current_thread().enable_all().max_blocking_threads(pool.queries() + 1).build().map_err(failed)?;
    let server = Arc::new(Server { service: Service::new(pool, PATIENCE), closing: Notify::new() });
    let aborted = runtime.block_on(serve(&server, arguments.listen, cancellation))?;
    runtime.shutdown_timeout(LAST_QUERIES);
    if aborted > 0 {
        let verb = if aborted == 1 { "was" } else { "were" };
        info(&format!("stopped; {} {verb} aborted", counted(aborted as u64, "request")));
    }
    Ok(())
}

async fn serve(server: &Arc<Server>, listen: SocketAddr, cancellation: &Cancellation) -> Result<usize> {
    let failed = |error| Error::io("listen to", listen.to_string(), error);
    let listener = listener(listen).map_err(failed)?;
    print(&format!("listening on http://{}", listener.local_addr().map_err(failed)?))?;
    Ok(server.run(listener, cancellation).await)
}

fn listener(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A new server can follow one that has just ended.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(MOST_PENDING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_local() {
        for text in ["localhost:80", "LOCALHOST:80", "127.0.0.1:80"] {
            assert_eq!(address(text).unwrap(), SocketAddr::from((Ipv4Addr::LOCALHOST, 80)), "{text}");
        }
        assert_eq!(address("Localhost:0").unwrap().port(), 0);
        assert!(address("[::1]:80").is_ok());
        for text in ["localhost", "localhost:", "example.org:80", "0.0.0.0:80", "80"] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}
