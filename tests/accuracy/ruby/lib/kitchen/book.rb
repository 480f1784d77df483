require_relative 'recipe'

module Kitchen
  # A book of recipes. It can format them for the screen.
  class Book # ⟦ def Book ⟧
    def initialize
      @recipes = {}
    end

    def add(name, recipe) # ⟦ def Book.add ⟧
      @recipes[name] = recipe
    end

    def self.sample # ⟦ def Book.sample ⟧
      book = Book.new # ⟦ call Book from Book.sample ⟧
      book.add('bread', bread) # ⟦ call Book.add from Book.sample ; call Book.bread from Book.sample ⟧
      cake = Dessert.new('Cake', 8).add('sugar', 300) # ⟦ call Dessert from Book.sample ; call Recipe.add from Book.sample ⟧
      book.add('cake', cake) # ⟦ call Book.add from Book.sample ⟧
      book
    end

    def self.bread # ⟦ def Book.bread ⟧
      Recipe.build('Bread') do |recipe| # ⟦ ref Recipe ; call Recipe.build from Book.bread ⟧
        recipe.add('flour', 500).add('water', 350) # ⟦ may Recipe.add, Book.add ⟧
      end
    end

    def print_all(out = $stdout) # ⟦ def Book.print_all ⟧
      format = '%s: %s'
      @recipes.each do |name, recipe|
        out.puts(format % [name, recipe.describe]) # ⟦ may Recipe.describe, Dessert.describe ⟧
      end
    end

    def shopping(&choice) # ⟦ def Book.shopping ⟧
      @recipes.values.select(&choice)
    end
    alias groceries shopping # ⟦ ref Book.shopping ⟧
  end
end
