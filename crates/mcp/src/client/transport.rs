//! Any way to a server → one type, so that what runs a session is compiled once rather than for each.

use std::error::Error;
use std::fmt;

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::{IntoTransport, Transport};
use uixt_call::Boxed;

/// A way to a server, whichever it is.
pub(super) struct AnyTransport(Box<dyn DynTransport>);

/// What went wrong on the way: an error of the transport's own.
#[derive(Debug)]
pub(super) struct TransportError(Box<dyn Error + Send + Sync>);

trait DynTransport: Send {
    fn send(&mut self, message: TxJsonRpcMessage<RoleClient>) -> Boxed<'static, Result<(), TransportError>>;
    fn receive(&mut self) -> Boxed<'_, Option<RxJsonRpcMessage<RoleClient>>>;
    fn close(&mut self) -> Boxed<'_, Result<(), TransportError>>;
}

impl AnyTransport {
    pub(super) fn new<T, E, A>(transport: T) -> Self
    where
        T: IntoTransport<RoleClient, E, A>,
        E: Error + Send + Sync + 'static,
    {
        Self(Box::new(transport.into_transport()))
    }
}

impl TransportError {
    fn of(error: impl Error + Send + Sync + 'static) -> Self {
        Self(Box::new(error))
    }

    /// Returns the transport's own error, of whatever type, where an error is one of a transport.
    pub(super) fn unwrap<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
        match error.downcast_ref::<Self>() {
            Some(Self(inner)) => inner.as_ref(),
            None => error,
        }
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for TransportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

impl<T: Transport<RoleClient>> DynTransport for T {
    fn send(&mut self, message: TxJsonRpcMessage<RoleClient>) -> Boxed<'static, Result<(), TransportError>> {
        let sent = Transport::send(self, message);
        Box::pin(async { sent.await.map_err(TransportError::of) })
    }

    fn receive(&mut self) -> Boxed<'_, Option<RxJsonRpcMessage<RoleClient>>> {
        Box::pin(Transport::receive(self))
    }

    fn close(&mut self) -> Boxed<'_, Result<(), TransportError>> {
        Box::pin(async { Transport::close(self).await.map_err(TransportError::of) })
    }
}

impl Transport<RoleClient> for AnyTransport {
    type Error = TransportError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.0.send(message)
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleClient>>> + Send {
        self.0.receive()
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.0.close()
    }
}
