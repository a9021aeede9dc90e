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

use crate::options::work::ReadOptions;
use crate::output::{info, print};
use clap::Args;
use outcrop::{Cancellation, Error, Result, counted};
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

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Path of the store
    pub(crate) store: PathBuf,
    /// Local address and port; port 0 for a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080", value_parser = address)]
    listen: SocketAddr,
    #[command(flatten)]
    reading: ReadOptions,
}

/// Parses a local address and a port.
fn address(text: &str) -> Result<SocketAddr> {
    let local = text.strip_prefix("localhost:").map(|port| format!("{}:{port}", Ipv4Addr::LOCALHOST));
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
    let pool = Pool::open(&arguments.store, arguments.reading.open(cancellation))?;
    let failed = |error| Error::io("start", "the threads of the server", error);
    // One thread for connections, one per query, and one that closes handles.
    let runtime =
        Builder::new_current_thread().enable_all().max_blocking_threads(pool.queries() + 1).build().map_err(failed)?;
    let server = Arc::new(Server { service: Service::new(pool, PATIENCE), closing: Notify::new() });
    let aborted = runtime.block_on(serve(&server, arguments.listen, cancellation))?;
    runtime.shutdown_timeout(LAST_QUERIES);
    if aborted > 0 {
        info(&format!("stopped before {} had ended", counted(aborted as u64, "request")));
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
