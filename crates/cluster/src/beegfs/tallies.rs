//! Where what clients and servers have asked is found in a run.

use super::client::BeegfsClient;
use super::procedure::Procedure;
use super::server::Server;
use crate::rpc_tally::RpcTally;
use petrio_kernel::{Place, Simulation};

/// Whose requests they are.
#[derive(Clone, Copy, Debug)]
pub struct RpcsOf(Whose);

#[derive(Clone, Copy, Debug)]
enum Whose {
    Client(Place<BeegfsClient>),
    Server(Place<Server>),
}

impl RpcsOf {
    pub(super) const fn client(place: Place<BeegfsClient>) -> Self {
        Self(Whose::Client(place))
    }

    pub(super) const fn server(place: Place<Server>) -> Self {
        Self(Whose::Server(place))
    }

    /// What they came to in a run, by procedure.
    pub fn tallies(self, run: &Simulation) -> Vec<(Procedure, RpcTally)> {
        let mut all = Vec::new();
        match self.0 {
            Whose::Client(place) => run.for_each_token(place, |own| all.extend(own.tally().clone())),
            Whose::Server(place) => run.for_each_token(place, |own| all.extend(own.tally().clone())),
        }
        all
    }
}
