class Uixt < Formula
  desc "UI tests in YAML on phones and in browsers, with the same actions over MCP"
  homepage "@REPOSITORY@"
  url "@REPOSITORY@/releases/download/v@VERSION@/uixt-@VERSION@-@TARGET@.tar.gz"
  sha256 "@ARCHIVE_SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on arch: :@BREW_CPU@
  depends_on :linux

  def install
    bin.install "bin/uixt"
    man1.install Dir["share/man/man1/*.1"]
    generate_completions_from_executable(bin/"uixt", "completions")
  end

  test do
    (testpath/"home.yaml").write <<~YAML
      config: {name: Go home}
      teststeps:
      - app_launch: com.uixt.shop
      - home:
      - assert_foreground_app: com.uixt.launcher
    YAML
    system bin/"uixt", "run", "home.yaml", "--device", "phone"
  end
end
