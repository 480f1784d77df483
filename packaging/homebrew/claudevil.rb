# Filled in by packaging/release.
class Claudevil < Formula
  desc "One warm code index for all your editor sessions"
  homepage "@URL@"
  url "@URL@/claudevil-@VERSION@.tar.gz"
  sha256 "@SOURCE_SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    # One folder, so that what the programs share is compiled once.
    ENV["CARGO_TARGET_DIR"] = buildpath/"target"
    system "cargo", "install", *std_cargo_args(path: "daemon")
    system "cargo", "install", *std_cargo_args(path: "shim")
    system "cargo", "install", *std_cargo_args(path: "daemon/vectors")
    # Completions and manuals come from the program itself.
    system bin/"claudevil", "generate", share
  end

  def caveats
    <<~EOS
      To tell the editors and agents on this machine about it:
        claudevil setup
      Before uninstalling, to remove its entries, indexes and settings:
        claudevil uninstall
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/claudevil --version")
    ENV["CLAUDEVIL_HOME"] = testpath/"home"
    (testpath/"project/.git").mkpath
    (testpath/"project/hello.rs").write "fn greet() {}\n"
    assert_match "hello.rs", shell_output("#{bin}/claudevil files --root #{testpath}/project")
    system bin/"claudevil", "daemon", "stop"
  end
end
