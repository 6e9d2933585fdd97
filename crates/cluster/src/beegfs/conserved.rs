//! What never changes of BeeGFS: requests that ends have sent are those that servers have, or that are on their way; the bytes of data, too.
//! The sums are of all file systems of a net: a message doesn't say whose it is before it is heard.

use super::client::BeegfsClient;
use super::message::Packet;
use super::server::Server;
use petrio_kernel::{PageBuilder, Sum};
use petrio_network::under_way;

/// Declares it.
pub(super) fn conserve(page: &mut PageBuilder<'_>) {
    let sum = under_way(Sum::new(), |packet: &Packet| -Sum::count(packet.requests()))
        .everywhere(|at: &BeegfsClient| Sum::count(at.asker.unanswered))
        .everywhere(|at: &Server| Sum::count(at.asker.unanswered) - Sum::count(at.left()));
    page.conserve_sum("requests", sum);
    let sum = under_way(Sum::new(), |packet: &Packet| -Sum::count(packet.written()))
        .everywhere(|at: &BeegfsClient| Sum::count(at.asker.written))
        .everywhere(|at: &Server| Sum::count(at.asker.written) - Sum::count(at.written));
    page.conserve_sum("bytes written", sum);
    let sum = under_way(Sum::new(), |packet: &Packet| -Sum::count(packet.read()))
        .everywhere(|at: &BeegfsClient| -Sum::count(at.asker.read))
        .everywhere(|at: &Server| Sum::count(at.read) - Sum::count(at.asker.read));
    page.conserve_sum("bytes read", sum);
}
