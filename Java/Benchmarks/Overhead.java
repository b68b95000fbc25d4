import com.faceengine.DetectOptions;
import com.faceengine.Engine;
import com.faceengine.Face;
import com.faceengine.Faces;
import com.faceengine.Format;
import com.faceengine.Image;
import java.awt.image.BufferedImage;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.imageio.ImageIO;

/** See overhead.sh. */
public class Overhead {
  private static final int WIDTH = 1920;
  private static final int HEIGHT = 1080;
  private static final int CALLS = 1000;
  /** Until Java has compiled all that a call runs. */
  private static final int WARM_UP = 8000;

  public static void main(String[] arguments) throws Exception {
    BufferedImage photo = ImageIO.read(new File(arguments[0]));
    BufferedImage frame = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
    frame.getGraphics().drawImage(photo, 500, 0, 920, HEIGHT, null);
    ByteBuffer pixels = ByteBuffer.allocateDirect(4 * WIDTH * HEIGHT).order(ByteOrder.LITTLE_ENDIAN);
    pixels.asIntBuffer().put(frame.getRGB(0, 0, WIDTH, HEIGHT, null, 0, WIDTH));
    Map<String, DetectOptions> kinds = new LinkedHashMap<>();
    DetectOptions small = new DetectOptions().maxSide(160);
    kinds.put("max_side 160", small);
    kinds.put("max_side 160, pose", small.pose(true));
    kinds.put("max_side 160, landmarks", small.landmarks(true));
    kinds.put("default", new DetectOptions());
    try (Engine engine = Engine.load();
        FileChannel file = FileChannel.open(Path.of(System.getenv("FACE_SEARCH_TIME")), StandardOpenOption.READ)) {
      ByteBuffer last = file.map(FileChannel.MapMode.READ_ONLY, 0, 8).order(ByteOrder.nativeOrder());
      for (int call = 0; call < WARM_UP; call++) {
        time(engine, pixels, call % 2 == 0 ? small : small.landmarks(true), last);
      }
      for (Map.Entry<String, DetectOptions> kind : kinds.entrySet()) {
        int calls = kind.getKey().equals("default") ? CALLS / 5 : CALLS;
        long[] times = new long[calls];
        for (int call = 0; call < calls; call++) {
          times[call] = time(engine, pixels, kind.getValue(), last);
        }
        Arrays.sort(times);
        System.out.printf("%s: p10 %.1f µs, p50 %.1f µs, p90 %.1f µs around the search%n", kind.getKey(), times[calls / 10] / 1e3,
            times[calls / 2] / 1e3, times[calls * 9 / 10] / 1e3);
      }
    }
  }

  /** Nanoseconds of all but the search: describing the image, the call, reading all faces. */
  private static long time(Engine engine, ByteBuffer pixels, DetectOptions options, ByteBuffer last) {
    long begin = System.nanoTime();
    Faces faces = engine.detect(Image.pixels(pixels, Format.BGRA, WIDTH, HEIGHT), options);
    float sum = 0;
    for (Face face : faces) {
      sum += face.box().x() + face.confidence();
    }
    long taken = System.nanoTime() - begin;
    if (sum == 0) {
      throw new AssertionError("no face");
    }
    return taken - last.getLong(0);
  }
}
