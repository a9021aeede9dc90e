//! Connections: their number and their timeouts, and the end of the server.

use super::service::Service;
use super::write_timeout::WriteTimeout;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use outcrop::{Cancellation, Stopwatch};
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
const MOST_CONNECTIONS: usize = 128;
/// Time for the first request of a connection that is to close.
const FIRST_REQUEST: Duration = Duration::from_millis(100);
/// Interval between checks for signals, updates and waiting merges.
const TICK: Duration = Duration::from_millis(50);
/// Time for running requests when the server stops.
const GRACE: Duration = Duration::from_secs(5);
/// Maximum size of the head of a request, and of unsent bytes before the last part, in bytes.
const MOST_BUFFERED_BYTES: usize = 32 << 10;

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
        drop(spawn_blocking(move || pool.close_outdated()));
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
        let (is_used, age) = (AtomicBool::new(false), Stopwatch::start());
        // Small answers should not wait for the acknowledgment of earlier ones.
        _ = stream.set_nodelay(true);
        let service = service_fn(|request| {
            is_used.store(true, Relaxed);
            let response = self.service.respond(request);
            async { Ok::<_, Infallible>(response.await) }
        });
        let mut protocol = http1::Builder::new();
        let patience = self.service.patience;
        protocol.timer(TokioTimer::new()).header_read_timeout(patience).max_buf_size(MOST_BUFFERED_BYTES);
        let stream = TokioIo::new(WriteTimeout::new(stream, patience));
        let mut connection = pin!(protocol.serve_connection(stream, service));
        loop {
            tokio::select! {
                _ = connection.as_mut() => return,
                () = self.closing.notified() => match is_used.load(Relaxed) {
                    true => connection.as_mut().graceful_shutdown(),
                    false if age.elapsed() >= FIRST_REQUEST => return,
                    false => {}
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::pool::Pool;
    use super::*;
    use crate::commands::store::build::input;
    use outcrop::{BuildRequest, OpenOptions, Silent, build};
    use std::fs;
    use std::io::{Read, Write};
    use std::net::SocketAddr;
    use tokio::runtime::Builder;

    /// Time that a client has on a busy machine.
    const PATIENCE: Duration = Duration::from_secs(2);

    /// Serves a hub of 1,000 neighbors, one query at a time, to clients that get `patience`.
    fn with_server(patience: Duration, test: impl FnOnce(SocketAddr)) {
        let folder = tempfile::tempdir().unwrap();
        let (edges, store) = (folder.path().join("star.el"), folder.path().join("a.outcrop"));
        fs::write(&edges, (1..=1000).map(|leaf| format!("0 {leaf}\n")).collect::<String>()).unwrap();
        build(&BuildRequest::new(vec![input(&edges)], &store), &Cancellation::new(), &Silent).unwrap();
        let pool = Pool::open(&store, OpenOptions { threads: Some(1), ..OpenOptions::default() }).unwrap();
        let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(2).build().unwrap();
        let server = Arc::new(Server { service: Service::new(pool, patience), closing: Notify::new() });
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let (address, cancellation) = (listener.local_addr().unwrap(), Cancellation::new());
        std::thread::scope(|scope| {
            scope.spawn(|| runtime.block_on(server.run(listener, &cancellation)));
            let tested = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| test(address)));
            cancellation.cancel();
            tested.unwrap();
        });
    }

    fn begin(address: SocketAddr, request: &str) -> std::net::TcpStream {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    fn rest(mut stream: std::net::TcpStream) -> String {
        let mut bytes = Vec::new();
        // The server may reset the connection.
        _ = stream.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    #[test]
    fn connections_without_progress_are_closed() {
        with_server(PATIENCE, |address| {
            let requests = [
                "",
                "GET /degree HTTP/1.1\r\nHost: loc",
                "POST /degree HTTP/1.1\r\nHost: [::1]\r\nContent-Length: 9\r\n\r\n{",
                "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            ];
            let [silent, head, body, idle] = requests.map(|request| begin(address, request)).map(rest);
            assert!(silent.is_empty() && !head.contains("200 OK"), "{silent} {head}");
            assert!(body.starts_with("HTTP/1.1 408 "), "{body}");
            assert!(idle.starts_with("HTTP/1.1 200 OK"), "{idle}");
        });
    }

    #[test]
    fn clients_that_do_not_read_lose_their_query_and_their_connection() {
        with_server(PATIENCE, |address| {
            let body = format!("{{\"id\": [0{}]}}", ",0".repeat(1_999));
            let head = "POST /neighbors HTTP/1.1\r\nHost: localhost\r\nContent-Length:";
            let slow = begin(address, &format!("{head} {}\r\n\r\n{body}", body.len()));
            // The only thread for queries is free again afterwards.
            let next =
                rest(begin(address, "GET /degree?id=0 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
            assert!(next.contains("[{\"node\":0,\"degree\":1000}]"), "{next}");
            let part = rest(slow);
            assert!(part.starts_with("HTTP/1.1 200 OK") && !part.ends_with("\r\n0\r\n\r\n"), "{}", part.len());
        });
    }

    #[test]
    fn large_bodies_wait_for_others_only_for_a_while() {
        with_server(PATIENCE, |address| {
            let request = |length: usize| {
                format!(
                    "POST /degree HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
                )
            };
            let large = begin(address, &request(4 << 20));
            // After this request, the server has begun to read the large body.
            assert!(rest(begin(address, &(request(9) + "{\"id\": 0}"))).starts_with("HTTP/1.1 200 "));
            let refused = rest(begin(address, &request(1 << 20)));
            assert!(refused.starts_with("HTTP/1.1 503 ") && refused.contains("retry-after: 1"), "{refused}");
            let body = format!("{{\"id\": [0{}]}}", ",0".repeat(1_999));
            let small = rest(begin(address, &(request(body.len()) + &body)));
            assert!(small.starts_with("HTTP/1.1 200 "), "{small}");
            drop(large);
            let body = format!("{{\"id\": [0{}]}}", ",0".repeat(19_999));
            let next = rest(begin(address, &(request(body.len()) + &body)));
            assert!(next.starts_with("HTTP/1.1 200 "), "{}", next.len());
        });
    }
}
