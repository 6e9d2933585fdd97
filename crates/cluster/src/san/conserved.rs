//! What never changes of shared disks: requests for tokens, recalls of them and requests for inodes that somebody sent are those that
//! wait where they are served, or that are on their way, there or back. What goes to the disks and back, SCSI's ends count.

use super::message::Payload;
use super::node::Node;
use super::tokens::Tokens;
use petrio_kernel::PageBuilder;

/// Declares it.
pub(super) fn conserve(page: &mut PageBuilder<'_>) {
    use petrio_network::conserve;
    let locks = (|node: &Node| node.lock_requests, Tokens::waiting);
    conserve(page, "requests for locks", |payload: &Payload| payload.is_of_lock().into(), locks);
    let recalls = (Tokens::recalled, Node::recalled);
    conserve(page, "recalls of locks", |payload: &Payload| payload.is_of_recall().into(), recalls);
    let inodes = (Node::inodes_outstanding, |node: &Node| node.inode_requests.len());
    conserve(page, "requests for inodes", |payload: &Payload| payload.is_of_inode().into(), inodes);
}
