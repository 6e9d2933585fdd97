// The cluster of constant-rate servers of `petrio bench cluster`, in SimGrid: clients write files of their own, striped
// over all servers in pieces of 64 KiB that pass one after the other on each connection; a server stores what comes at
// its disk's rate and answers with 64 bytes; a client goes on when all servers have answered.
//
// cluster_in_simgrid CLIENTS SERVERS BYTES RECORD: prints seconds of model time.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

int main(int argc, char** argv)
{
  sg4::Engine engine(&argc, argv);
  if (argc < 5)
    return 2;
  const int clients = std::atoi(argv[1]), servers = std::atoi(argv[2]);
  const double bytes = std::atof(argv[3]), record = std::atof(argv[4]), piece = 65536;
  auto* zone = sg4::create_star_zone("lan");
  std::vector<sg4::Host*> hosts;
  std::vector<sg4::Disk*> disks;
  for (int number = 0; number < clients + servers; number++) {
    auto* host = zone->create_host("h" + std::to_string(number), 1e9);
    auto* link = zone->create_split_duplex_link("l" + std::to_string(number), 125e6)->set_latency(5e-6)->seal();
    sg4::LinkInRoute up{link, sg4::LinkInRoute::Direction::UP};
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {up}, true);
    if (number >= clients)
      disks.push_back(host->create_disk("d", 120e6, 120e6));
    host->seal();
    hosts.push_back(host);
  }
  zone->seal();
  const int records = static_cast<int>(bytes / record);
  const double part = record / servers;
  for (int client = 0; client < clients; client++) {
    auto together = sg4::Barrier::create(servers);
    for (int server = 0; server < servers; server++) {
      const std::string name = std::to_string(client) + "-" + std::to_string(server);
      auto *data = sg4::Mailbox::by_name("data " + name), *answers = sg4::Mailbox::by_name("answer " + name);
      sg4::Actor::create("c" + name, hosts[client], [=] {
        static int something = 0;
        for (int number = 0; number < records; number++) {
          for (double at = 0; at < part; at += piece)
            data->put(&something, static_cast<uint64_t>(std::min(piece, part - at)));
          answers->get<int>();
          together->wait();
        }
      });
      sg4::Actor::create("s" + name, hosts[clients + server], [=] {
        static int something = 0;
        for (int number = 0; number < records; number++) {
          for (double at = 0; at < part; at += piece) {
            data->get<int>();
            disks[server]->write(static_cast<sg_size_t>(std::min(piece, part - at)));
          }
          answers->put(&something, 64);
        }
      });
    }
  }
  engine.run();
  std::printf("%.9f\n", sg4::Engine::get_clock());
  return 0;
}
