# class NotThis
require "set"

module Shop
  LIMIT = 3

  class Cart < Struct.new(:items)
    include Enumerable
    attr_reader :total

    def initialize(items = {}, text: "def no\n#{"}"}")
      @items = items
      value = items.size / 2 if items =~ /class No["'{]/
    end

    def self.open(name) = new(name)

    def empty?; @items.empty?; end

    def ==(other)
      other.class == self.class
    end

    class << self
      def shared
        puts(<<~TEXT, 1)
          def not_this
            class Nor
        TEXT
        %w[def no]
      end
    end

    private def hidden!
    end
  end

  class Error < StandardError; end
end

def Shop.helper
end

=begin
def nor_this
end
=end
__END__
def no
