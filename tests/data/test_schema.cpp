// A schema names columns and their roles; a column that nobody gave a role is data.
#include <thalweg/data/schema.hpp>

#include <gtest/gtest.h>

namespace test_schema {

using thalweg::Role;
using thalweg::Schema;

TEST(Schema, numbers_columns_that_bring_no_names) {
  const Schema schema = Schema::numbered(3);
  EXPECT_EQ(schema.columns, (std::vector<std::string>{"c0", "c1", "c2"}));
  EXPECT_EQ(schema.width(), 3U);
  EXPECT_EQ(schema, Schema::numbered(3));
  EXPECT_NE(schema, Schema::numbered(2));
}

TEST(Schema, a_column_without_a_role_is_data) {
  Schema plain{{"x", "y"}};
  Schema said = plain;
  said.roles = {Role::data, Role::data};
  EXPECT_EQ(plain.role(1), Role::data);
  EXPECT_FALSE(said.has_roles());
  EXPECT_EQ(plain, said);
  EXPECT_EQ(difference(plain, said), "");
}

TEST(Schema, another_role_is_another_schema) {
  const Schema data{{"x", "y"}};
  Schema regression = data;
  regression.roles = {Role::data, Role::response};
  EXPECT_TRUE(regression.has_roles());
  EXPECT_NE(data, regression);
  EXPECT_EQ(difference(regression, data), "its column \"y\" is response, not data");
  EXPECT_EQ(difference(data, regression), "its column \"y\" is data, not response");
}

}  // namespace test_schema
