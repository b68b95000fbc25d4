# make demo    set everything up, start the engine, send it a photo, leave demo.png
# make test    set everything up and run every test
# make         everything that make install needs
# make build   the command, libfaceengine.so.1, libfaceengine-draw.so.1 and nothing else
# make gateway       the engine over gRPC and HTTP, some minutes more; make install installs it where it was built
# make test-engine, make test-gateway  a part of make test: all but the gateway, and the gateway
# make chaos MINUTES=10  an engine under clients that are killed and stopped
# make check   format, generated code, header, exports, kernels under sanitizers and as ARM runs them
# make format  mend the format
# make install PREFIX=/usr/local DESTDIR=   all that a machine without the sources needs; make uninstall takes it away
# make wheel                                the Python package, in dist
# make deb                                  Debian packages, in dist; the gateway's where make gateway has built it
# make release                              all of that, a tarball, a bill of materials and checksums, in dist
# make test-packages                        tries the packages on machines of Debian 12 and 13 that have nothing else
# make reference                            the C API as pages, in .build/reference

SHELL := /bin/bash
BUILD := .build/release
SWIFT_BUILD := swift build -c release

# A ncnn of our own making is found through its pkg-config file; the system's needs nothing.
NCNN_PREFIX = $(shell Tools/setup/ncnn.sh --prefix)
WITH_NCNN = PKG_CONFIG_PATH="$(addsuffix /lib/pkgconfig,$(NCNN_PREFIX)):$$PKG_CONFIG_PATH"

.PHONY: all build gateway test-gateway setup test-tools models demo test test-engine chaos check format stage install uninstall wheel deb release test-packages reproduce reference clean

all: stage

# The map of exports is nothing that the build watches, so a library older than its own is linked anew.
build: setup
	[[ $(BUILD)/libfaceengine.so -nt Sources/Bindings/FaceEngineLibrary/exports.map ]] || rm -f $(BUILD)/libfaceengine.so
	[[ $(BUILD)/libfaceengine-draw.so -nt Sources/Bindings/FaceDrawLibrary/exports.map ]] || rm -f $(BUILD)/libfaceengine-draw.so
	$(WITH_NCNN) $(SWIFT_BUILD)
	ln -sf libfaceengine.so $(BUILD)/libfaceengine.so.1
	ln -sf libfaceengine-draw.so $(BUILD)/libfaceengine-draw.so.1

# A package of its own, so that what it stands on is built for those alone who want it.
gateway: setup
	Tools/setup/packages.sh gateway
	$(WITH_NCNN) $(SWIFT_BUILD) --package-path Gateway --product face-engine-gateway
	Tools/package/stage-gateway.sh Gateway/.build/release

# Nothing that hangs does so for ever.
test-gateway: models gateway
	Tools/setup/packages.sh test-gateway
	timeout --foreground --signal=INT --kill-after=1m 30m Gateway/Tests/test.sh

# The quick answers first: what is missing is said before ncnn is compiled.
setup:
	Tools/setup/toolchain.sh
	Tools/setup/packages.sh build
	Tools/setup/ncnn.sh

test-tools:
	Tools/setup/toolchain.sh
	Tools/setup/packages.sh test

models: build
	$(BUILD)/face-engine models fetch

# What is installed besides programs and libraries, in $(BUILD)/staged.
stage: models
	Tools/package/stage.sh $(BUILD)

demo: models
	Tools/demo.sh $(BUILD)/face-engine Examples/photos/grace_hopper.jpg demo.png

test: test-engine test-gateway

# Some minutes on two cores. Nothing that hangs does so for ever; what the tests have started ends with them. What failed is
# said again at the end.
test-engine: test-tools stage
	$(WITH_NCNN) $(SWIFT_BUILD) --build-tests
	rm -f .build/tests-swift-testing.xml
	$(WITH_NCNN) timeout --foreground --signal=INT --kill-after=1m 1h \
	  swift test -c release --skip-build --xunit-output .build/tests.xml \
	  || { status=$$?; Tools/failed_tests.py .build/tests-swift-testing.xml; exit $$status; }

# Clients that are killed and stopped, reloads and restarts; figures in .build/chaos.
MINUTES := 10
chaos: test-tools models
	Tests/Chaos/run.sh $(BUILD) $(MINUTES)

check: test-tools build
	Tools/check.sh $(BUILD)

format:
	swift format --in-place --recursive Sources Tests Package.swift Gateway/Sources Gateway/Package.swift

# What was built is installed, so that root need not build: make, then sudo make install.
install uninstall:
	PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" LIBDIR="$(LIBDIR)" Tools/package/install.sh $@ $(BUILD)

wheel: stage
	python3 Tools/package/wheel.py $(BUILD) dist

# Where the gateway was built, it is of these sources, too.
GATEWAY_IF_BUILT = $(if $(wildcard Gateway/.build/release/face-engine-gateway),gateway)

deb: test-tools stage $(GATEWAY_IF_BUILT)
	Tools/package/deb.sh $(BUILD) dist

release: test-tools stage gateway
	Tools/package/release.sh $(BUILD) dist

# Needs root, and is skipped where that or debootstrap is missing.
test-packages: test-tools stage $(GATEWAY_IF_BUILT)
	Tests/Packages/test.sh $(BUILD)

# A second build in another folder gives the same bytes.
reproduce: deb
	Tools/package/reproduce.sh dist

reference:
	Tools/reference/make.sh .build/reference

clean:
	rm -rf .build Gateway/.build dist demo.png
