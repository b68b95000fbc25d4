import com.faceengine.DetectOptions;
import com.faceengine.Engine;
import com.faceengine.Face;
import com.faceengine.FaceEngineException;
import com.faceengine.Faces;
import com.faceengine.Frame;
import com.faceengine.Image;
import com.faceengine.Session;
import com.faceengine.SessionListener;
import com.faceengine.SessionMode;
import com.faceengine.SessionOptions;
import java.io.IOException;
import java.nio.file.Path;

/** Follows the faces of pictures that are the frames of a video: java -cp faceengine.jar Follow.java [--connect]
   PICTURE... */
public class Follow implements SessionListener {
  private static final long FRAME_NS = 40_000_000; // 25 frames a second

  public static void main(String[] arguments) throws IOException {
    boolean connect = arguments.length > 0 && arguments[0].equals("--connect");
    int first = connect ? 1 : 0;
    if (arguments.length == first) {
      System.err.println("usage: Follow [--connect] PICTURE...");
      System.exit(2);
    }
    SessionOptions every = new SessionOptions().mode(SessionMode.EVERY).minHits(1);
    try (Engine engine = connect ? Engine.connect() : Engine.load();
         Session session = engine.session(every, new DetectOptions().pose(true), new Follow())) {
      for (int place = first; place < arguments.length; place++) {
        session.submit(Image.file(Path.of(arguments[place])).timestampNs((place - first) * FRAME_NS));
      }
      session.flush();
    } catch (FaceEngineException failure) {
      System.err.println("Follow: " + failure.getMessage());
      System.exit(1);
    }
  }

  @Override
  public void onFaces(Frame frame, Faces faces) {
    for (Face face : faces) {
      String turned = face.pose() == null ? "" : ", turned by %d degrees".formatted(Math.round(face.pose().yaw()));
      System.out.printf(
          "frame %d: face %d at %.0f %.0f%s%n", frame.number(), face.id(), face.box().x(), face.box().y(), turned);
    }
  }

  @Override
  public void onFailed(Frame frame, FaceEngineException failure) {
    System.out.printf("frame %d: %s%n", frame.number(), failure.getMessage());
  }

  @Override
  public void onLeft(Frame frame, long faceId) {
    System.out.printf("frame %d: face %d has left%n", frame.number(), faceId);
  }
}
