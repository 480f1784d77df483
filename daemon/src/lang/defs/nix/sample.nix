# The package.
{ pkgs ? import <nixpkgs> { }, lib }:
let
  # The version.
  version = "1.0; x = 2";
  inherit (pkgs) stdenv;
  helper = a: b: {
    inner = a;
  };
in
stdenv.mkDerivation {
  pname = "engine";
  inherit version;
  /* src = hidden; */
  buildInputs = [ pkgs.zlib ];
  buildPhase = ''
    make = not; an attribute
  '';
  meta = with lib; {
    description = "x";
    deeper = { tooDeep = true; };
  };
  passthru.tests.unit = 1;
  "quoted-name" = 2;
}
