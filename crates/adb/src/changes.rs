//! Devices that come and go at an adb server → a number that grows as they do, so that nobody needs to ask again and again.

use std::time::Duration;

use tokio::sync::watch;

use super::client::Server;

/// How long is waited until a server is looked for again that is not there.
const AGAIN: Duration = Duration::from_secs(3);

impl Server {
    /// Counts the changes of what is connected, and of the server itself being there, for as long as somebody holds the count.
    pub fn changes(&self) -> watch::Receiver<u64> {
        let (count, seen) = watch::channel(0);
        let server = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = count.closed() => {}
                () = server.follow(&count) => {}
            }
        });
        seen
    }

    async fn follow(&self, count: &watch::Sender<u64>) {
        loop {
            // The first list of a server that came back is a change, too.
            let mut was_there = false;
            let _ = self
                .track(|| {
                    was_there = true;
                    count.send_modify(|count| *count += 1);
                })
                .await;
            if was_there {
                count.send_modify(|count| *count += 1);
            }
            tokio::time::sleep(AGAIN).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;
    use tokio::net::TcpListener;

    use super::*;
    use crate::wire;

    #[tokio::test]
    async fn every_list_counts_and_the_end_of_the_server() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let mut seen = Server::new(address).changes();
        let (mut stream, _) = listener.accept().await.unwrap();
        let request = wire::read_request(&mut stream, 100).await.unwrap();
        assert_eq!(request.as_deref(), Some(b"host:track-devices".as_slice()));
        wire::write_okay(&mut stream).await.unwrap();
        for (count, list) in ["", "A\tdevice\n"].into_iter().enumerate() {
            wire::write_message(&mut stream, list.as_bytes()).await.unwrap();
            let told = tokio::time::timeout(Duration::from_secs(1), seen.wait_for(|seen| *seen == count as u64 + 1));
            told.await.expect("within a second").unwrap();
        }
        drop(stream);
        let told = tokio::time::timeout(Duration::from_secs(1), seen.wait_for(|seen| *seen == 3));
        told.await.expect("within a second").unwrap();
        // It is looked for again, and left once nobody wants to know.
        let (mut stream, _) = listener.accept().await.unwrap();
        wire::read_request(&mut stream, 100).await.unwrap();
        drop(seen);
        let mut more = [0; 1];
        let left = tokio::time::timeout(Duration::from_secs(1), stream.read(&mut more));
        assert_eq!(left.await.expect("within a second").unwrap(), 0);
    }
}
