//! Connections: their number and their timeouts, and the end of the server.

use super::service::Service;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use outcrop::Cancellation;
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

/// Maximum number of connections; more close idle ones.
const MOST_CONNECTIONS: usize = 256;
/// Interval between checks for signals and waiting updates.
const TICK: Duration = Duration::from_millis(50);
/// Time for running requests when the server stops.
const GRACE: Duration = Duration::from_secs(5);
/// Maximum size of the head of a request, in bytes.
const MOST_HEAD_BYTES: usize = 64 << 10;

/// Server of a listener.
pub(super) struct Server {
    pub(super) service: Service,
    /// Notified if idle connections are to close.
    pub(super) closing: Notify,
}

impl Server {
    /// Serves requests until `cancellation`, then finishes the running ones. Returns the number of those that did not
    /// end in time.
    pub(super) async fn run(self: &Arc<Self>, listener: TcpListener, cancellation: &Cancellation) -> usize {
        let mut connections = JoinSet::new();
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !cancellation.is_cancelled() {
            let is_full = connections.len() >= MOST_CONNECTIONS;
            tokio::select! {
                _ = tick.tick() => self.tick(is_full),
                Some(_) = connections.join_next() => {}
                accepted = listener.accept(), if !is_full => match accepted {
                    Ok((stream, _)) => _ = connections.spawn(Arc::clone(self).connection(stream)),
                    // Too many open files: others close.
                    Err(_) => sleep(TICK).await,
                },
            }
        }
        drop(listener);
        self.stop(connections).await
    }

    fn tick(self: &Arc<Self>, is_full: bool) {
        if is_full {
            self.closing.notify_waiters();
        }
        let pool = Arc::clone(&self.service.pool);
        // Closing a handle can take a while.
        drop(spawn_blocking(move || pool.yield_to_writers()));
    }

    /// Waits for running requests, and then ends the others.
    async fn stop(&self, mut connections: JoinSet<()>) -> usize {
        let finished = async {
            while !connections.is_empty() {
                self.closing.notify_waiters();
                _ = timeout(TICK, connections.join_next()).await;
            }
        };
        _ = timeout(GRACE, finished).await;
        let rest = connections.len();
        connections.shutdown().await;
        rest
    }

    /// Serves the requests of a connection. One without a request closes after the patience of the service.
    async fn connection(self: Arc<Self>, stream: TcpStream) {
        let (stalled, is_used) = (Arc::new(Notify::new()), AtomicBool::new(false));
        // Small answers should not wait for the acknowledgment of earlier ones.
        _ = stream.set_nodelay(true);
        let service = service_fn(|request| {
            is_used.store(true, Relaxed);
            let response = self.service.respond(request, Arc::clone(&stalled));
            async { Ok::<_, Infallible>(response.await) }
        });
        let mut protocol = http1::Builder::new();
        protocol.timer(TokioTimer::new()).header_read_timeout(self.service.patience).max_buf_size(MOST_HEAD_BYTES);
        let mut connection = pin!(protocol.serve_connection(TokioIo::new(stream), service));
        loop {
            tokio::select! {
                _ = connection.as_mut() => return,
                () = stalled.notified() => return,
                () = self.closing.notified() => match is_used.load(Relaxed) {
                    true => connection.as_mut().graceful_shutdown(),
                    false => return,
                },
            }
        }
    }
}
