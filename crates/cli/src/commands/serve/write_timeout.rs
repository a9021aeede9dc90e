//! Streams whose writes fail if the other side does not read.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// Stream with a limit on the time that a write waits without progress.
pub(super) struct WriteTimeout<S> {
    stream: S,
    limit: Duration,
    /// Timer of a waiting write.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteTimeout<S> {
    pub(super) const fn new(stream: S, limit: Duration) -> Self {
        Self { stream, limit, timer: None }
    }

    /// Returns the `outcome` of a write, or an error if writes have waited for too long.
    fn limited<T>(&mut self, context: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.timer = None;
            return outcome;
        }
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(self.limit)));
        timer.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.limited(context, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.limited(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_flush(context);
        self.limited(context, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_shutdown(context);
        self.limited(context, outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use tokio::net::{TcpListener, TcpStream};

    #[tokio::test(flavor = "current_thread")]
    async fn writes_fail_if_nobody_reads_and_progress_extends_the_time() {
        let limit = Duration::from_millis(200);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let mut server = WriteTimeout::new(listener.accept().await.unwrap().0, limit);
        let reader = tokio::spawn(async move {
            // Reads for longer than the limit, and then no more.
            let mut bytes = vec![0; 1 << 20];
            for _ in 0..6 {
                sleep(limit / 4).await;
                while client.try_read(&mut bytes).is_ok() {}
            }
            client
        });
        let mut write = async || poll_fn(|context| Pin::new(&mut server).poll_write(context, &[0; 1 << 16])).await;
        let error = loop {
            match write().await {
                Ok(_) => {}
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(reader.is_finished());
    }
}
