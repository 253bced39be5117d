// The C interface between the Rust crate and Bullet's C++ classes. Plain data only: every struct here has a twin in src/ffi.rs.
#pragma once

extern "C" {

enum tb_shape_kind { TB_SPHERE = 0, TB_SEGMENT = 1, TB_CAPSULE = 2 };

// A convex shape in the frame of its link's centre of mass.
struct tb_shape {
	int kind;
	double radius;
	double from[3], to[3];        // TB_SEGMENT: the ends of the axis
	double length;                // TB_CAPSULE: length of the axis, along local z
	double position[3], rotation[4];  // where the shape sits; rotation as x, y, z, w
};

enum tb_joint_kind { TB_WELD = 0, TB_SLIDE = 1, TB_HINGE = 2 };

struct tb_link {
	int parent;  // -1 is the base
	int joint;
	int limited;
	int shapes;  // how many entries of the shape list belong to this link, in order
	double axis[3];
	double lower, upper;
	double mass, friction;
	double parent_to_pivot[3];  // from the parent's centre of mass to the joint
	double pivot_to_centre[3];  // from the joint to this link's centre of mass
};

struct tb_base {
	int fixed;
	int shapes;
	double position[3];
	double mass, friction;
};

struct tb_settings {
	double gravity, time_step;
	int substeps, iterations;
	double contact_erp, floor_friction;
};

struct tb_world;
struct tb_snapshot;

// The shape list holds the base's shapes first, then each link's in order. 
tb_world* tb_world_new(const tb_settings*, const tb_base*, const tb_link*, int links, const tb_shape*);
void tb_world_free(tb_world*);

void tb_set_joint(tb_world*, int link, double position, double velocity);
void tb_update_poses(tb_world*);  // after a batch of tb_set_joint
void tb_add_torque(tb_world*, int link, double torque);  // acts through all substeps of the next step
void tb_step(tb_world*);

void tb_joint(const tb_world*, int link, double position_velocity[2]);
void tb_position(const tb_world*, int link, double xyz[3]);
void tb_rotation(const tb_world*, int link, double xyzw[4]);
void tb_velocity(const tb_world*, int link, double linear[3]);
int tb_touches_floor(const tb_world*, int link);

tb_snapshot* tb_save(const tb_world*);
void tb_restore(tb_world*, const tb_snapshot*);
void tb_snapshot_free(tb_snapshot*);
}
