// grpc SOCKET COUNT: Health/Check of a gRPC C++ server over a Unix socket, server and client each a process.
// Nanoseconds, one a line.
#include <grpcpp/grpcpp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "clock.h"
#include "health.grpc.pb.h"

namespace {

class Health final : public bench::Health::Service {
  grpc::Status Check(grpc::ServerContext *, const bench::HealthCheckRequest *,
                     bench::HealthCheckResponse *response) override {
    response->set_status(1);
    return grpc::Status::OK;
  }
};

void serve(const std::string &address) {
  Health health;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials());
  builder.RegisterService(&health);
  builder.BuildAndStart()->Wait();
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const std::string address = std::string("unix:") + argv[1];
  // Before gRPC has threads.
  if (fork() == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    serve(address);
    return 0;
  }
  auto channel = grpc::CreateChannel(address, grpc::InsecureChannelCredentials());
  if (!channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(10))) return 1;
  auto stub = bench::Health::NewStub(channel);
  bench::HealthCheckRequest request;
  bench::HealthCheckResponse response;
  for (long call = -WARM_UP, count = std::atol(argv[2]); call < count; call++) {
    const uint64_t start = now_ns();
    grpc::ClientContext context;
    if (!stub->Check(&context, request, &response).ok() || response.status() != 1) return 1;
    report(call, start);
  }
  return 0;
}
