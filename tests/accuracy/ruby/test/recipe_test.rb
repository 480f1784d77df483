require_relative '../lib/kitchen/book'

class RecipeTest # ⟦ def RecipeTest ⟧
  include Kitchen

  def check(good) # ⟦ def RecipeTest.check ⟧
    raise 'failed' unless good
  end

  def test_scale # ⟦ def RecipeTest.test_scale ⟧
    soup = Recipe.new('Soup') # ⟦ call Recipe from RecipeTest.test_scale ⟧
    soup.add('leek', 100) # ⟦ call Recipe.add from RecipeTest.test_scale ⟧
    check(soup.doubled.describe.include?('200 g leek')) # ⟦ call RecipeTest.check from RecipeTest.test_scale ; call Scalable.doubled from RecipeTest.test_scale ; may Recipe.describe, Dessert.describe ⟧
    check(soup.find('leek').label == 'leek') # ⟦ call RecipeTest.check from RecipeTest.test_scale ; call Recipe.find from RecipeTest.test_scale ; may Ingredient.label ⟧
  end

  def test_unknown # ⟦ def RecipeTest.test_unknown ⟧
    Recipe.new('Nothing').find('salt') # ⟦ call Recipe from RecipeTest.test_unknown ; call Recipe.find from RecipeTest.test_unknown ⟧
    check(false) # ⟦ call RecipeTest.check from RecipeTest.test_unknown ⟧
  rescue UnknownIngredient => e # ⟦ ref UnknownIngredient type ⟧
    check(e.message == 'salt') # ⟦ call RecipeTest.check from RecipeTest.test_unknown ⟧
  end

  def test_cups # ⟦ def RecipeTest.test_cups ⟧
    check(Units.to_cups(480) == 2.0) # ⟦ call RecipeTest.check from RecipeTest.test_cups ; ref Units ; call Units.to_cups from RecipeTest.test_cups ⟧
    butter = Ingredient.new('butter', 250) # ⟦ call Ingredient from RecipeTest.test_cups ⟧
    check(butter.scale(2).to_line == '2.1 cups butter') # ⟦ call RecipeTest.check from RecipeTest.test_cups ; call Ingredient.scale from RecipeTest.test_cups ; call Ingredient.to_line from RecipeTest.test_cups ⟧
    check(Recipe::DEFAULT_GUESTS == 4) # ⟦ call RecipeTest.check from RecipeTest.test_cups ; ref Recipe ; ref Recipe.DEFAULT_GUESTS read ⟧
  end
end

test = RecipeTest.new # ⟦ call RecipeTest from - ⟧
test.test_scale # ⟦ call RecipeTest.test_scale from - ⟧
test.test_unknown # ⟦ call RecipeTest.test_unknown from - ⟧
test.test_cups # ⟦ call RecipeTest.test_cups from - ⟧
