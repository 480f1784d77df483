# frozen_string_literal: true

require "json"
require_relative '../shapes/base'
autoload :Late, "late"

LIMIT = 10

# How it is said.
def greet(name, greeting = "hello", *rest, loud: false, **options, &block)
  text = "#{greeting} #{name}"
  text.upcase! if loud
  block ? yield(text) : text
end

# Things with areas.
module Geo
  class Error < StandardError; end

  # A thing with an area.
  # It may be moved.
  class Shape < Base::Thing
    include Comparable, Geo::Named
    extend Forwardable

    attr_reader :sides, :name
    attr_accessor :colour

    SIDES = { square: 4 }.freeze
    @@count = 0

    class << self
      def count = @@count

      private

      def reset; @@count = 0; end
    end

    def self.make(kind)
      case kind
      when :square, "square" then Square.new(4)
      when :circle
        Circle.new
      else
        raise Error, "no #{kind}"
      end
    end

    def initialize(sides, name: nil)
      super()
      @sides, @name = sides, name
      @@count += 1
    end

    def <=>(other) = area <=> other.area
    def [](index); @points[index]; end
    def colour=(value)
      @colour = value
    end
    def empty?; @sides.zero?; end

    private def hidden; end

    alias size area
    alias_method :extent, :area
    define_method(:dynamic) { |x| x * 2 }

    protected

    def inner
      shape = Geo::Shape.new(3)
      points.each_with_index do |(x, y), i|
        next unless x && y
        puts i while i < LIMIT or x
      end
      a, *b = [1, 2]
      b ||= a
      shape&.move(a, &:to_s)
    end

    private

    def größe(list)
      for item in list do
        until item.done?
          item.run
        end
      end
      list.map { |e| e ? 1 : 2 }
    rescue Error, IO::Failure => error
      $last = error
      retry
    ensure
      close
    end

	def match(value)
	  case value
	  in { kind: Integer => n } if n > 1 then n
	  in [first, *] then first
	  end
	  double = ->(q) { q * 2 }
	  double.call(n)
	end
  end

  module_function

  def distance(from, to) = from - to
end

# Again.
class Geo::Shape
  def late; end
end

Point = Struct.new(:x, :y) do
  def length
    Math.sqrt(x**2 + y**2)
  end
end

def Geo.origin
  Point.new(0, 0)
end

class Gate
  private attr_reader :key, :lock

  def early; end

  private # from here on

  attr_reader :code
  OPEN = 1
  class Hinge; end
  def self.build = new
  def hidden # only here
    # Nothing yet.
    code
  end

  class << self
    def known; end

    private

    def secret; end

    public

    def shown; end
  end

  def still_hidden; end
  public def seen; end

  protected

  def near; end

  public

  def late; end
end

class Geo::Flat::Grid::Cell
  def corner; end
end
