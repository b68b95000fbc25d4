/* How the screen looks: its texts in the visitor's language, its symbols and its colours. */
#pragma once

#include "painter.hpp"

#include <fstream>
#include <map>

/* The lines "key=text" of a file: a language's texts, or the symbols. */
struct texts : std::map<std::string, std::string> {
  /* Reads FOLDER/NAME.txt; throws std::runtime_error if it cannot. */
  void read(const std::string &folder, const std::string &name)
  {
    const std::string path = folder + "/" + name + ".txt";
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be read; --texts FOLDER says where it is");
    clear();
    for (std::string line; std::getline(file, line);)
      if (const auto equals = line.find('='); line[0] != '#' && equals != line.npos)
        emplace(line.substr(0, equals), line.substr(equals + 1));
  }

  std::string get(const std::string &key, const std::string &otherwise = "") const
  {
    return count(key) > 0 ? at(key) : otherwise;
  }
};

/* Colours that remain apart with any colour vision: after Okabe and Ito, for a dark ground. Any two differ by 23 or
 * more in CIELAB as people without red, green or blue cones see them (Machado 2009), and by 6:1 from the ground.
 * Besides, each tone has a symbol, a form of its ring and a text. */
struct theme {
  colour ground, text, soft, plate, tones[4]; /* calm, attention, good, bad */
  double stroke, dimmed; /* the ring's width in radii; how much the ground covers what is around the circle */
};
inline const theme themes[2] = {{{15, 21, 33},
                                 {255, 255, 255},
                                 {200, 212, 228},
                                 {62, 78, 106},
                                 {{70, 160, 245}, {255, 200, 60}, {80, 225, 150}, {242, 110, 60}},
                                 0.034,
                                 0.68},
                                {{0, 0, 0},
                                 {255, 255, 255},
                                 {255, 255, 255},
                                 {95, 95, 95}, /* high contrast */
                                 {{100, 180, 255}, {255, 235, 0}, {60, 255, 170}, {255, 150, 90}},
                                 0.055,
                                 0.85}};

/* What the visitor may choose. */
struct look {
  bool large_type = false, high_contrast = false, sound = true;
  texts words, symbols;

  bool is_from_right() const { return words.count("direction") > 0; } /* to the left, as Arabic is read */
  const theme &colours() const { return themes[high_contrast]; }

  /* Returns the size of type, at most `size`, at which a label fits on one line of that width. */
  double size_of_label(painter &paint, const std::string &label, double size, double width) const
  {
    if (symbols.count(label) > 0) return size;
    while (size > 4 && !painter::fits_on_line(paint.lay_out(label, size, true, width))) size *= 0.96;
    return size;
  }

  /* Draws the symbol of that name, or else the text, around a point. */
  void draw_label(painter &paint, const std::string &label, double x, double y, double size, double width,
                  const colour &ink) const
  {
    if (symbols.count(label) > 0) return paint.symbol(symbols.at(label), x, y, size * 0.55, ink);
    const auto text = paint.lay_out(label, size, true, width);
    paint.text(text, x, y - painter::height(text) / 2, ink);
  }
};
