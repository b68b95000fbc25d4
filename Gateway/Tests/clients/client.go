// client ADDRESS PHOTO: calls the gateway with Go's gRPC, and prints what it was told as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	faceengine "faceengine/v1"
)

type report struct {
	Faces   int      `json:"faces"`
	Invalid uint32   `json:"invalid"`
	Details int      `json:"details"`
	Late    uint32   `json:"late"`
	Large   uint32   `json:"large"`
	Ids     []uint64 `json:"ids"`
	Ended   uint32   `json:"ended"`
	Healthy int      `json:"healthy"`
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func main() {
	photo, err := os.ReadFile(os.Args[2])
	if err != nil {
		fail(err)
	}
	connection, err := grpc.Dial(os.Args[1], grpc.WithInsecure())
	if err != nil {
		fail(err)
	}
	context, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	report, err := call(context, connection, photo)
	if err != nil {
		fail(err)
	}
	_ = json.NewEncoder(os.Stdout).Encode(report)
}

func call(context context.Context, connection *grpc.ClientConn, photo []byte) (*report, error) {
	detector := faceengine.NewDetectorClient(connection)
	told := &report{}
	found, err := detector.Detect(context, &faceengine.DetectRequest{Image: image(photo)})
	if err != nil {
		return nil, err
	}
	told.Faces = len(found.Faces)

	_, err = detector.Detect(context, &faceengine.DetectRequest{})
	told.Invalid = uint32(status.Code(err))
	told.Details = len(status.Convert(err).Proto().Details)
	_, err = detector.Detect(late(context), &faceengine.DetectRequest{Image: image(photo)})
	told.Late = uint32(status.Code(err))
	_, err = detector.Detect(context, &faceengine.DetectRequest{Image: image(make([]byte, 64<<20))})
	told.Large = uint32(status.Code(err))

	told.Ids, err = watch(context, detector, photo)
	told.Ended = uint32(status.Code(err))

	// Go measures the connection with a PING after many an answer.
	health := grpc_health_v1.NewHealthClient(connection)
	for i := 0; i < 1000; i++ {
		answer, err := health.Check(context, &grpc_health_v1.HealthCheckRequest{})
		if err != nil {
			return nil, err
		}
		if answer.Status == grpc_health_v1.HealthCheckResponse_SERVING {
			told.Healthy++
		}
	}
	return told, nil
}

func image(photo []byte) *faceengine.Image {
	return &faceengine.Image{Source: &faceengine.Image_Encoded{Encoded: photo}}
}

func late(parent context.Context) context.Context {
	// Its time is over before anybody could answer.
	context, cancel := context.WithTimeout(parent, time.Microsecond)
	time.AfterFunc(time.Minute, cancel)
	return context
}

func watch(context context.Context, detector faceengine.DetectorClient, photo []byte) ([]uint64, error) {
	stream, err := detector.Watch(context)
	if err != nil {
		return nil, err
	}
	start := &faceengine.WatchStart{Mode: faceengine.WatchStart_EVERY}
	if err := stream.Send(&faceengine.WatchRequest{Kind: &faceengine.WatchRequest_Start{Start: start}}); err != nil {
		return nil, err
	}
	for id := uint64(1); id <= 8; id++ {
		frame := &faceengine.WatchFrame{Id: id, TimestampNs: id * 100_000_000, Image: image(photo)}
		if err := stream.Send(&faceengine.WatchRequest{Kind: &faceengine.WatchRequest_Frame{Frame: frame}}); err != nil {
			return nil, err
		}
	}
	if err := stream.CloseSend(); err != nil {
		return nil, err
	}
	var ids []uint64
	for {
		answer, err := stream.Recv()
		if err == io.EOF {
			return ids, nil
		}
		if err != nil {
			return ids, err
		}
		ids = append(ids, answer.Id)
	}
}
