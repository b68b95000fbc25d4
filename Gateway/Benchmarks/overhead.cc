// overhead serve: a gRPC C++ server of grpc.health.v1.Health on loopback; prints its address.
// overhead call ADDRESS COUNT: Health/Check of the server there, one call after the other. Nanoseconds, one a line.
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

#include "health.grpc.pb.h"

namespace health = grpc::health::v1;

namespace {

class Health final : public health::Health::Service {
  grpc::Status Check(grpc::ServerContext *, const health::HealthCheckRequest *,
                     health::HealthCheckResponse *response) override {
    response->set_status(health::HealthCheckResponse::SERVING);
    return grpc::Status::OK;
  }
};

int serve() {
  Health service;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  auto server = builder.BuildAndStart();
  if (!server) return 1;
  std::cout << "127.0.0.1:" << port << std::endl;
  server->Wait();
  return 0;
}

int call(const std::string &address, long count) {
  auto channel = grpc::CreateChannel(address, grpc::InsecureChannelCredentials());
  if (!channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(10))) return 1;
  auto stub = health::Health::NewStub(channel);
  health::HealthCheckRequest request;
  health::HealthCheckResponse response;
  for (long number = -200 /* to warm up */; number < count; number++) {
    const auto start = std::chrono::steady_clock::now();
    grpc::ClientContext context;
    if (!stub->Check(&context, request, &response).ok()) return 1;
    if (response.status() != health::HealthCheckResponse::SERVING) return 1;
    const std::chrono::nanoseconds taken = std::chrono::steady_clock::now() - start;
    if (number >= 0) std::cout << taken.count() << '\n';
  }
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc == 2 && !std::strcmp(argv[1], "serve")) return serve();
  if (argc == 4 && !std::strcmp(argv[1], "call")) return call(argv[2], std::atol(argv[3]));
  return 2;
}
