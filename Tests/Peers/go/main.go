// A client of the engine that has nothing of ours but the .proto: containerd's ttrpc does the wire.
//
//	client SOCKET PHOTO
//
// Makes plain calls, prints a line for each thing that held, and stops with status 1 at the first that did not.
// The engine should have one worker, so that calls wait for each other.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/containerd/ttrpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	faceengine "faceengine/v1"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: client SOCKET PHOTO")
		os.Exit(2)
	}
	photo, err := os.ReadFile(os.Args[2])
	require(err == nil, "the photo can be read: %v", err)
	peer := connect(os.Args[1], photo)
	defer peer.Close()

	peer.checkHealth()
	peer.checkInfo()
	alone := peer.checkDetect()
	peer.checkErrors()
	peer.checkConcurrentCallers(alone)
	peer.checkEngineDeadline()
	peer.checkOwnDeadline(alone)
}

// A peer is one connection with a client of each service on it.
type peer struct {
	*ttrpc.Client
	detector faceengine.DetectorService
	health   faceengine.HealthService
	admin    faceengine.AdminService
	photo    []byte
}

func connect(socket string, photo []byte) peer {
	connection, err := net.Dial("unix", socket)
	require(err == nil, "the engine listens at %s: %v", socket, err)
	client := ttrpc.NewClient(connection, ttrpc.WithUnaryClientInterceptor(setEngineTimeout))
	return peer{client, faceengine.NewDetectorClient(client), faceengine.NewHealthClient(client),
		faceengine.NewAdminClient(client), photo}
}

type engineTimeout struct{}

// setEngineTimeout tells the engine of a shorter time than the caller really waits, so that it is the engine's answer
// that comes back; ttrpc itself gives up at the same moment as the engine.
func setEngineTimeout(ctx context.Context, request *ttrpc.Request, response *ttrpc.Response,
	_ *ttrpc.UnaryClientInfo, next ttrpc.Invoker) error {
	if timeout, ok := ctx.Value(engineTimeout{}).(time.Duration); ok {
		request.TimeoutNano = timeout.Nanoseconds()
	}
	return next(ctx, request, response)
}

func (p peer) detect(ctx context.Context) (*faceengine.DetectResponse, error) {
	return p.detector.Detect(ctx, &faceengine.DetectRequest{
		Image: &faceengine.Image{Source: &faceengine.Image_Encoded{Encoded: p.photo}},
	})
}

func (p peer) checkHealth() {
	for _, service := range []string{"", "faceengine.v1.Detector"} {
		answer, err := p.health.Check(patient(), &faceengine.HealthCheckRequest{Service: service})
		require(err == nil, "health of %q: %v", service, err)
		require(answer.Status == faceengine.HealthCheckResponse_SERVING, "%q is %v", service, answer.Status)
	}
	_, err := p.health.Check(patient(), &faceengine.HealthCheckRequest{Service: "no.Such"})
	requireStatus(err, codes.NotFound, "no.Such")
	passed("Health/Check: SERVING, and NOT_FOUND for a service that is not there")
}

func (p peer) checkInfo() {
	info, err := p.admin.Info(patient(), &faceengine.InfoRequest{})
	require(err == nil, "info: %v", err)
	require(info.EngineVersion != "" && info.ProtocolVersion == 1, "versions: %v", info)
	require(len(info.Models) == 1 && info.Models[0].Name == "yunet", "models: %v", info.Models)
	require(info.Limits.MaxMessageBytes == 4<<20, "limits: %v", info.Limits)
	passed("Admin/Info: versions, model and limits")
}

func (p peer) checkDetect() *faceengine.DetectResponse {
	// Metadata, of which the engine knows none, does no harm.
	ctx := ttrpc.WithMetadata(patient(), ttrpc.MD{"trace": []string{"1", "2"}})
	answer, err := p.detect(ctx)
	require(err == nil, "detect: %v", err)
	require(answer.Width == 512 && answer.Height == 600, "size %d x %d", answer.Width, answer.Height)
	require(len(answer.Faces) == 1, "%d faces", len(answer.Faces))
	face := answer.Faces[0]
	require(face.Confidence > 0.9, "confidence %v", face.Confidence)
	for _, point := range []*faceengine.Point{face.Points.LeftEye, face.Points.RightEye, face.Points.NoseTip,
		face.Points.MouthLeft, face.Points.MouthRight} {
		x, y := point.X-face.Box.X, point.Y-face.Box.Y
		require(x > 0 && y > 0 && x < face.Box.Width && y < face.Box.Height, "%v is outside %v", point, face.Box)
	}
	require(face.Points.LeftEye.X > face.Points.RightEye.X, "left is the subject's own")
	passed("Detector/Detect: one face, its points inside its box")

	none, err := p.detector.Detect(patient(), &faceengine.DetectRequest{
		Image:   &faceengine.Image{Source: &faceengine.Image_Encoded{Encoded: p.photo}},
		Options: &faceengine.DetectOptions{OptionalMinConfidence: &faceengine.DetectOptions_MinConfidence{MinConfidence: 0.99}},
	})
	require(err == nil && len(none.Faces) == 0, "above 0.99: %v, %v", none, err)
	passed("Detector/Detect: the options are followed")
	return answer
}

func (p peer) checkErrors() {
	_, err := p.detector.Detect(patient(), &faceengine.DetectRequest{
		Image: &faceengine.Image{Source: &faceengine.Image_Encoded{Encoded: []byte("not a picture")}},
	})
	requireStatus(err, codes.InvalidArgument, "does not begin like a JPEG")
	_, err = p.detector.Detect(patient(), &faceengine.DetectRequest{})
	requireStatus(err, codes.InvalidArgument, "image is missing")
	err = p.Call(patient(), "faceengine.v1.Detector", "Guess", &faceengine.InfoRequest{}, &faceengine.InfoResponse{})
	requireStatus(err, codes.Unimplemented, "Detect")
	passed("errors: the code, and a sentence that says what to do")
}

func (p peer) checkConcurrentCallers(alone *faceengine.DetectResponse) {
	const callers, calls = 8, 4
	var group sync.WaitGroup
	for caller := 0; caller < callers; caller++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for call := 0; call < calls; call++ {
				answer, err := p.detect(patient())
				require(err == nil, "one of %d callers: %v", callers, err)
				require(reflect.DeepEqual(answer, alone), "one of %d callers got %v", callers, answer)
				_, err = p.health.Check(patient(), &faceengine.HealthCheckRequest{})
				require(err == nil, "health beside detections: %v", err)
			}
		}()
	}
	group.Wait()
	passed(fmt.Sprintf("%d callers on one connection, %d detections each, all the same", callers, calls))
}

// Twelve calls at once with a worker's time for one: calls that wait longer than their timeout fail.
func (p peer) checkEngineDeadline() {
	const callers = 12
	ctx := context.WithValue(patient(), engineTimeout{}, 2*time.Millisecond)
	errors := make(chan error, callers)
	for caller := 0; caller < callers; caller++ {
		go func() {
			_, err := p.detect(ctx)
			errors <- err
		}()
	}
	expired := 0
	for caller := 0; caller < callers; caller++ {
		if err := <-errors; err != nil {
			requireStatus(err, codes.DeadlineExceeded, "time")
			expired++
		}
	}
	require(expired > 0, "no deadline of %d expired", callers)
	passed("deadlines: what waits too long in the engine is answered DEADLINE_EXCEEDED")
}

// A caller that leaves before its answer comes: the answer is dropped, and the connection stays usable.
func (p peer) checkOwnDeadline(alone *faceengine.DetectResponse) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err := p.detect(ctx)
	require(err != nil, "a detection took less than a millisecond")
	answer, err := p.detect(patient())
	require(err == nil && reflect.DeepEqual(answer, alone), "after a deadline: %v, %v", answer, err)
	passed("deadlines: the connection serves on after a caller has left")
}

// patient waits longer than anything here takes.
func patient() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	_ = cancel // the program ends first
	return ctx
}

func passed(what string) { fmt.Println("ok:", what) }

func requireStatus(err error, code codes.Code, sentence string) {
	require(status.Code(err) == code && strings.Contains(err.Error(), sentence),
		"expected %v with %q, got %v", code, sentence, err)
}

func require(holds bool, format string, arguments ...interface{}) {
	if !holds {
		fmt.Fprintf(os.Stderr, "failed: "+format+"\n", arguments...)
		os.Exit(1)
	}
}
