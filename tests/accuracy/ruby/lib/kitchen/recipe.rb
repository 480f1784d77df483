require_relative 'units'

module Kitchen
  class UnknownIngredient < StandardError; end # ⟦ def UnknownIngredient ⟧

  class Ingredient # ⟦ def Ingredient ; impl Ingredient of Scalable ⟧
    include Scalable # ⟦ ref Scalable type ⟧

    attr_reader :label # ⟦ def Ingredient.label ⟧

    def initialize(label, amount)
      @label = label # ⟦ ref Ingredient.label write ⟧
      @amount = amount
    end

    def scale(factor) # ⟦ def Ingredient.scale ⟧
      Ingredient.new(@label, @amount * factor) # ⟦ call Ingredient from Ingredient.scale ; ref Ingredient.label read ⟧
    end

    def to_line # ⟦ def Ingredient.to_line ⟧
      "#{Units.format(@amount)} #{label}" # ⟦ ref Units ; call Units.format from Ingredient.to_line ; ref Ingredient.label read ⟧
    end
  end

  class Recipe # ⟦ def Recipe ; impl Recipe of Scalable ⟧
    include Scalable # ⟦ ref Scalable type ⟧

    attr_accessor :guests # ⟦ def Recipe.guests ⟧

    DEFAULT_GUESTS = 4 # ⟦ def Recipe.DEFAULT_GUESTS ⟧

    def self.build(title) # ⟦ def Recipe.build ⟧
      recipe = new(title) # ⟦ call Recipe from Recipe.build ⟧
      yield recipe
      recipe
    end

    def initialize(title, guests = DEFAULT_GUESTS) # ⟦ ref Recipe.DEFAULT_GUESTS read ⟧
      @title = title
      @guests = guests # ⟦ ref Recipe.guests write ⟧
      @ingredients = []
    end

    def self.toast # ⟦ def Recipe.toast ⟧
      new('Toast').add('bread', 2) # ⟦ call Recipe from Recipe.toast ; call Recipe.add from Recipe.toast ⟧
    end

    def blank # ⟦ def Recipe.blank ⟧
      self.class.new(@title) # ⟦ call Recipe from Recipe.blank ⟧
    end

    def rebuilt # ⟦ def Recipe.rebuilt ⟧
      self.class.build(@title) { |recipe| recipe } # ⟦ call Recipe.build from Recipe.rebuilt ⟧
    end

    def add(label, amount) # ⟦ def Recipe.add ⟧
      @ingredients << Ingredient.new(label, amount) # ⟦ call Ingredient from Recipe.add ⟧
      self
    end

    def find(label) # ⟦ def Recipe.find ⟧
      found = @ingredients.find { |one| one.label == label } # ⟦ may Ingredient.label ⟧
      found || raise(UnknownIngredient, label) # ⟦ ref UnknownIngredient ⟧
    end

    def scale(factor) # ⟦ def Recipe.scale ⟧
      scaled = Recipe.new(@title, @guests * factor) # ⟦ call Recipe from Recipe.scale ; ref Recipe.guests read ⟧
      @ingredients.each { |one| scaled.take(one.scale(factor)) } # ⟦ call Recipe.take from Recipe.scale ; may Ingredient.scale, Recipe.scale ⟧
      scaled
    end

    def describe # ⟦ def Recipe.describe ⟧
      [heading, *lines].join("\n") # ⟦ call Recipe.heading from Recipe.describe ; may Dessert.heading ; call Recipe.lines from Recipe.describe ⟧
    end

    def take(ingredient) # ⟦ def Recipe.take ⟧
      @ingredients << ingredient
    end

    private

    def heading # ⟦ def Recipe.heading ⟧
      "#{@title} for #{@guests}" # ⟦ ref Recipe.guests read ⟧
    end

    def lines # ⟦ def Recipe.lines ⟧
      @ingredients.map(&:to_line) # ⟦ may Ingredient.to_line ⟧
    end
  end

  class Dessert < Recipe # ⟦ def Dessert ; ref Recipe type ; impl Dessert of Recipe ⟧
    def describe # ⟦ def Dessert.describe ; impl Dessert.describe of Recipe.describe ⟧
      super + "\nserve cold" # ⟦ may Recipe.describe ⟧
    end

    private

    def heading # ⟦ def Dessert.heading ; impl Dessert.heading of Recipe.heading ⟧
      super.upcase # ⟦ may Recipe.heading ⟧
    end
  end
end
