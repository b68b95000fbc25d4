/* Reads the directories of a TIFF file, before libtiff does, to find the picture among thumbnails, masks and the data
 * of a camera's sensor. Sources: TIFF 6.0, section 2 and "NewSubfileType"; TIFF Technical Note 1 "SubIFD"; BigTIFF; DNG
 * 1.7, "NewSubFileType" and "PhotometricInterpretation"; ExifTool's tables of compressions. */
#include "tiff_directories.h"

#include "internal.h"

#include <stdio.h>
#include <string.h>

/* The last is of all directories together: a page has some twenty. */
enum { MOST_ENTRIES = 1024, MOST_LEVELS = 4, MOST_ENTRIES_IN_ALL = 1 << 20 };

enum {
  NEW_SUBFILE = 254,
  OLD_SUBFILE = 255,
  WIDTH = 256,
  HEIGHT = 257,
  COMPRESSION = 259,
  PHOTOMETRIC = 262,
  MAKE = 271,
  STRIPS = 273,
  TILES = 324,
  SUBDIRECTORIES = 330,
  JPEG_PLACE = 513,
  DNG_VERSION = 50706,
};

struct file {
  const uint8_t *data;
  size_t size;
  int is_little, is_big; /* the lowest byte first; BigTIFF, whose places and counts have eight bytes */
};

struct directory {
  uint64_t place, next;
  uint64_t width, height;
  uint64_t subfile, old_subfile, compression, photometric;
  uint64_t children, child_count, child_size; /* the place, number and bytes of the places of its subdirectories */
  uint64_t entries;
  uint64_t bytes; /* that its entries name, which libtiff copies */
  int has_subfile, has_pixels, has_jpeg_alone, is_dng, has_next;
  char make[16];
};

/* What was found until now. */
struct walk {
  struct file file;
  uint64_t entries, directories;       /* that were read */
  struct directory full, part, sensor; /* the first full picture, the largest other one, the largest data of a sensor */
  uint32_t pages;
  int is_dng;
  char make[16];
  enum face_codec_status failure; /* of the first directory that could not be read */
  char *reason;
};

static int has(const struct file *file, uint64_t place, uint64_t count)
{
  return place <= file->size && count <= file->size - place;
}

/* Returns a number of at most eight bytes, which the file has. */
static uint64_t number(const struct file *file, uint64_t place, uint64_t count)
{
  uint64_t value = 0;
  for (uint64_t i = 0; i < count; i++) value = value << 8 | file->data[place + (file->is_little ? count - 1 - i : i)];
  return value;
}

static enum face_codec_status refuse(char *reason, const char *what)
{
  set_reason(reason, what);
  return FACE_CODEC_OVER_LIMIT;
}

static void read_entry(const struct file *file, uint64_t entry, struct directory *directory)
{
  enum { SHORT = 3, LONG = 4, IFD = 13, LONG8 = 16, IFD8 = 18 };
  static const uint8_t sizes[] = {1, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4};
  const unsigned room = file->is_big ? 8 : 4;
  const uint64_t tag = number(file, entry, 2), type = number(file, entry + 2, 2), count = number(file, entry + 4, room);
  const uint64_t size = type < sizeof sizes ? sizes[type] : 8, most = UINT64_MAX / 16;
  const uint64_t bytes = count > most ? most : count * size;
  if (directory->bytes <= most) directory->bytes += bytes;
  const uint64_t inside = entry + 4 + room, place = bytes <= room ? inside : number(file, inside, room);
  if (count == 0 || !has(file, place, bytes)) return;
  const int is_number = type == SHORT || type == LONG || type == IFD || type == LONG8 || type == IFD8;
  const uint64_t value = is_number ? number(file, place, size) : 0;
  switch (tag) {
  case NEW_SUBFILE:
    directory->subfile = value;
    directory->has_subfile = 1;
    break;
  case OLD_SUBFILE: directory->old_subfile = value; break;
  case WIDTH: directory->width = value; break;
  case HEIGHT: directory->height = value; break;
  case COMPRESSION: directory->compression = value; break;
  case PHOTOMETRIC: directory->photometric = value; break;
  case STRIPS:
  case TILES: directory->has_pixels = 1; break;
  case JPEG_PLACE: directory->has_jpeg_alone = 1; break;
  case DNG_VERSION: directory->is_dng = 1; break;
  case SUBDIRECTORIES:
    if (is_number && size >= 4) {
      directory->children = place;
      directory->child_count = count;
      directory->child_size = size;
    }
    break;
  case MAKE:
    memcpy(directory->make, file->data + place, bytes < sizeof directory->make ? bytes : sizeof directory->make - 1);
    break;
  default: break;
  }
}

static enum face_codec_status read_directory(const struct file *file, uint64_t place, struct directory *directory,
                                             char *reason)
{
  const unsigned count_size = file->is_big ? 8 : 2, entry_size = file->is_big ? 20 : 12,
                 place_size = file->is_big ? 8 : 4;
  *directory = (struct directory){.place = place};
  if (!has(file, place, count_size)) return FACE_CODEC_DAMAGED;
  const uint64_t entries = number(file, place, count_size);
  if (entries > MOST_ENTRIES) return refuse(reason, "its directory has more than 1024 entries");
  directory->entries = entries;
  const uint64_t first = place + count_size, end = first + entries * entry_size;
  if (!has(file, first, entries * entry_size)) return FACE_CODEC_DAMAGED;
  for (uint64_t i = 0; i < entries; i++) read_entry(file, first + i * entry_size, directory);
  /* A file may end right behind its last directory. */
  directory->has_next = has(file, end, place_size);
  if (directory->has_next) directory->next = number(file, end, place_size);
  return FACE_CODEC_DONE;
}

static uint64_t pixels(const struct directory *directory)
{
  const uint64_t most = UINT32_MAX;
  return directory->width > most || directory->height > most ? most * most : directory->width * directory->height;
}

/* Whether the pixels are those of a sensor: one colour each, or in a camera maker's own compression. */
static int is_of_sensor(const struct directory *directory)
{
  enum { COLOUR_FILTERS = 32803, LINEAR = 34892 };
  enum { SONY = 32767, EPSON = 32769, SAMSUNG = 32770, NIKON = 34713, KODAK = 65000, PENTAX = 65535 };
  if (directory->photometric == COLOUR_FILTERS || directory->photometric == LINEAR) return 1;
  switch (directory->compression) {
  case SONY:
  case EPSON:
  case SAMSUNG:
  case NIKON:
  case KODAK:
  case PENTAX: return 1;
  default: return 0;
  }
}

static void consider(struct walk *walk, const struct directory *directory)
{
  enum { PAGE = 2, OLD_REDUCED = 2 };
  if (directory->is_dng) walk->is_dng = 1;
  if (walk->make[0] == 0) memcpy(walk->make, directory->make, sizeof walk->make);
  if (is_of_sensor(directory)) {
    if (pixels(directory) > pixels(&walk->sensor)) walk->sensor = *directory;
    return;
  }
  /* A later directory with a JPEG file alone is the thumbnail of an EXIF block. */
  if (pixels(directory) == 0 || !(directory->has_pixels || (directory->has_jpeg_alone && walk->directories == 1)))
    return;
  const int is_full =
      directory->has_subfile ? (directory->subfile & ~(uint64_t)PAGE) == 0 : directory->old_subfile != OLD_REDUCED;
  if (!is_full) {
    if (pixels(directory) > pixels(&walk->part)) walk->part = *directory;
  } else if (walk->pages++ == 0) {
    walk->full = *directory;
  }
}

/* Reads a chain of directories, and below each the chains of its subdirectories. */
static void read_chain(struct walk *walk, uint64_t place, int level)
{
  struct directory directory;
  /* A place of this chain, against those that lead to each other in a circle: a later one at each power of two. */
  uint64_t visited = 0;
  for (uint64_t step = 0; place != 0 && place != visited && walk->entries < MOST_ENTRIES_IN_ALL; step++) {
    if ((step & (step - 1)) == 0) visited = place;
    const enum face_codec_status status = read_directory(&walk->file, place, &directory, walk->reason);
    walk->entries += 1 + directory.entries;
    walk->directories++;
    if (status != FACE_CODEC_DONE) {
      if (walk->failure == FACE_CODEC_DONE) walk->failure = status;
      return;
    }
    consider(walk, &directory);
    /* Then the full picture may be among what the file has lost. */
    if (!directory.has_next && walk->failure == FACE_CODEC_DONE) walk->failure = FACE_CODEC_DAMAGED;
    for (uint64_t i = 0; i < directory.child_count && walk->entries < MOST_ENTRIES_IN_ALL && level < MOST_LEVELS;
         i++, walk->entries++)
      read_chain(walk, number(&walk->file, directory.children + i * directory.child_size, directory.child_size),
                 level + 1);
    place = directory.next;
  }
}

static enum face_codec_status refuse_raw_photo(char *reason, int is_dng, const char *make)
{
  static const struct {
    const char *make, *format;
  } formats[] = {
      {"Canon", "Canon CR2"},           {"NIKON", "Nikon NEF"},         {"SONY", "Sony ARW"},
      {"PENTAX", "Pentax PEF"},         {"RICOH", "Pentax PEF"},        {"SAMSUNG", "Samsung SRW"},
      {"Hasselblad", "Hasselblad 3FR"}, {"EASTMAN KODAK", "Kodak DCR"}, {"Kodak", "Kodak DCR"},
      {"Phase One", "Phase One IIQ"},   {"SEIKO EPSON", "Epson ERF"},   {"Leaf", "Leaf MOS"},
  };
  const char *format = is_dng ? "DNG" : "in a TIFF";
  for (size_t i = 0; i < sizeof formats / sizeof *formats && !is_dng; i++)
    if (strncmp(make, formats[i].make, strlen(formats[i].make)) == 0) format = formats[i].format;
  set_reason(reason, format);
  return FACE_CODEC_RAW_PHOTO;
}

static int open_file(struct file *file, const uint8_t *data, size_t size, uint64_t *first)
{
  enum { HEADER = 8, BIG_HEADER = 16, BIG = 43 };
  if (size < HEADER) return 0;
  *file = (struct file){.data = data, .size = size, .is_little = data[0] == 'I'};
  file->is_big = number(file, 2, 2) == BIG;
  /* A place has eight bytes, as the header itself says. */
  if (file->is_big && (size < BIG_HEADER || number(file, 4, 2) != 8)) return 0;
  *first = file->is_big ? number(file, 8, 8) : number(file, 4, 4);
  return 1;
}

enum face_codec_status tiff_find_picture(const void *data, size_t size, struct tiff_picture *picture, char *reason)
{
  enum { MAKER = 8, BYTES_IN_ANY_CASE = 1 << 16 };
  struct walk walk = {.reason = reason};
  uint64_t first = 0;
  if (!open_file(&walk.file, data, size, &first)) return FACE_CODEC_DAMAGED;
  const char *maker = (const char *)data + MAKER;
  if (has(&walk.file, MAKER, 4) && memcmp(maker, "CR\2", 3) == 0) return refuse_raw_photo(reason, 0, "Canon");
  if (has(&walk.file, MAKER, 4) && (memcmp(maker, "IIII", 4) == 0 || memcmp(maker, "MMMM", 4) == 0))
    return refuse_raw_photo(reason, 0, "Phase One");
  read_chain(&walk, first, 0);
  if (pixels(&walk.sensor) > pixels(&walk.full)) return refuse_raw_photo(reason, walk.is_dng, walk.make);
  if (walk.pages == 0 && walk.failure != FACE_CODEC_DONE) return walk.failure;
  const struct directory *found = walk.pages > 0 ? &walk.full : &walk.part;
  if (pixels(found) == 0) return FACE_CODEC_DAMAGED;
  if (found->bytes > 2 * (uint64_t)size + BYTES_IN_ANY_CASE)
    return refuse(reason, "its directory is larger than the file");
  *picture = (struct tiff_picture){.place = found->place, .pages = walk.pages};
  return FACE_CODEC_DONE;
}

uint32_t face_codec_tiff_pages(const void *data, size_t size)
{
  struct tiff_picture picture = {0};
  char reason[FACE_CODEC_REASON_SIZE];
  return tiff_find_picture(data, size, &picture, reason) == FACE_CODEC_DONE ? picture.pages : 0;
}
